import type { Schedule } from '../../core/contract/resources.ts';
import { Ago } from '../component/ago.tsx';
import { DraftField } from '../component/draft-field.tsx';
import { OutcomeBadge } from '../component/marks.tsx';
import { Empty, FeedNotice } from '../component/notice.tsx';
import { WindowList } from '../component/window-list.tsx';
import { listedSchedulesMax } from '../limits.ts';
import { useCollection, useNow } from '../live/use-live.ts';
import { nextWords, timesWords } from '../model/management/schedule-words.ts';
import { go, Link } from '../route/navigation.tsx';

/** The jobs that are made again and again: when next, and how it went last. */
const everyMs = 5_000;
const columns = ['Schedule', 'Next', 'When', 'Last', 'Outcome'];

export function SchedulesPage({ pool }: { pool: string }) {
  const query = pool === '' ? '' : `?pool=${encodeURIComponent(pool)}`;
  const schedules = useCollection<Schedule>(`/v1/schedules${query}`, everyMs, listedSchedulesMax);
  const items = schedules.value?.items ?? [];
  return (
    <section class="panel jobs" aria-labelledby="schedules-title">
      <div class="panel-head">
        <h1 id="schedules-title">
          {schedules.value === null
            ? 'Schedules'
            : items.length === 1
              ? '1 schedule'
              : `${items.length} schedules`}
          {schedules.value?.more && <span class="soft"> and more</span>}
        </h1>
        <div class="tools">
          <DraftField
            className="narrow"
            label="Only schedules of this pool"
            placeholder="pool"
            value={pool}
            onEnter={(value) => go({ page: 'schedules', pool: value }, 'replace')}
          />
        </div>
      </div>
      <FeedNotice live={schedules} what="schedules" />
      {schedules.value !== null && items.length === 0 && (
        <Empty title={pool === '' ? 'No schedules yet.' : 'No schedule in this pool.'}>
          <p>
            <code>edgewise schedule create nightly --cron "0 3 * * *" --power 400</code>
          </p>
        </Empty>
      )}
      {items.length > 0 && (
        <WindowList
          items={items}
          label="Schedules"
          columns={columns}
          className="schedule-table"
          narrowPx={60}
          keyOf={({ name }) => name}
          cells={(schedule) => <ScheduleCells schedule={schedule} />}
        />
      )}
    </section>
  );
}

function ScheduleCells({ schedule }: { schedule: Schedule }) {
  const { name, next, lastRun, paused } = schedule;
  const nowMs = useNow(1_000);
  return (
    <>
      <td class="main-cell">
        <Link to={{ page: 'schedule', name }}>{name}</Link>
      </td>
      <td class={paused ? 'soft' : ''} title={next[0]}>
        {nextWords(schedule, nowMs)}
      </td>
      <td class="soft" title={timesWords(schedule)}>
        {timesWords(schedule)}
      </td>
      <td class="soft">
        <Ago at={lastRun?.at} />
      </td>
      <td>{lastRun !== null && <OutcomeBadge run={lastRun} />}</td>
    </>
  );
}
