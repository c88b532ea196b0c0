import { useState } from 'preact/hooks';
import type { Schedule, ScheduleRun } from '../../core/contract/resources.ts';
import { Ago } from '../component/ago.tsx';
import { ConfirmDialog } from '../component/confirm-dialog.tsx';
import { OutcomeBadge } from '../component/marks.tsx';
import { FeedNotice } from '../component/notice.tsx';
import { ScrollBox, ScrollText } from '../component/scroll-box.tsx';
import { scheduleRunsShownMax } from '../limits.ts';
import { useClient, useCollection, useNow, useResource, type Watched } from '../live/use-live.ts';
import {
  catchUpWords,
  nextWords,
  overlapWords,
  timesWords,
} from '../model/management/schedule-words.ts';
import { clockWords } from '../model/words.ts';
import { Link } from '../route/navigation.tsx';

/** One schedule: when it makes jobs, what became of its times; to pause, to resume and to run. */
const everyMs = 3_000;

export function SchedulePage({ name }: { name: string }) {
  const path = `/v1/schedules/${encodeURIComponent(name)}`;
  const schedule = useResource<Schedule>(path, everyMs);
  if (schedule.value === null) {
    return (
      <div class="panel">
        <h1>{name}</h1>
        <FeedNotice live={schedule} what="the schedule" />
      </div>
    );
  }
  return (
    <div class="edge">
      <ScheduleHead schedule={schedule.value} path={path} watched={schedule} />
      <div class="two">
        <Times schedule={schedule.value} />
        <section class="panel" aria-labelledby="job-title">
          <h2 id="job-title">The job</h2>
          <ScrollText label="The body of each job">
            {JSON.stringify(schedule.value.job, null, 2)}
          </ScrollText>
        </section>
      </div>
      <Runs path={path} />
    </div>
  );
}

type HeadProps = {
  readonly schedule: Schedule;
  readonly path: string;
  readonly watched: Watched<Schedule>;
};

function ScheduleHead({ schedule, path, watched }: HeadProps) {
  const client = useClient();
  const nowMs = useNow(1_000);
  const [asking, setAsking] = useState<'pause' | 'run' | null>(null);
  const { name, paused, createdAt, createdBy } = schedule;
  const send = (method: string, to: string, body?: object) => async () => {
    const answer = await client.send(method, to, body);
    watched.refresh();
    return answer.ok ? null : answer.problem;
  };
  const close = () => setAsking(null);
  return (
    <header class="page-head">
      <div>
        <p class="crumbs">
          <Link to={{ page: 'schedules', pool: '' }}>Schedules</Link>
        </p>
        <h1>{name}</h1>
        <p class="state-line">
          <b>{paused ? 'Paused' : `Next ${nextWords(schedule, nowMs)}`}</b>
          <span class="soft">
            made <Ago at={createdAt} /> by {createdBy}
          </span>
        </p>
      </div>
      <div class="buttons">
        <button type="button" onClick={() => setAsking('run')}>
          Run now
        </button>
        <button type="button" class={paused ? 'primary' : ''} onClick={() => setAsking('pause')}>
          {paused ? 'Resume' : 'Pause'}
        </button>
      </div>
      <FeedNotice live={watched} what="the schedule" />
      {asking === 'run' && (
        <ConfirmDialog
          title={`Run ${name} now?`}
          confirm="Run now"
          onClose={close}
          onConfirm={send('POST', `${path}/run`)}
        >
          <p>One job more, beside those of its times.</p>
        </ConfirmDialog>
      )}
      {asking === 'pause' && (
        <ConfirmDialog
          title={paused ? `Resume ${name}?` : `Pause ${name}?`}
          confirm={paused ? 'Resume' : 'Pause'}
          onClose={close}
          onConfirm={send('PATCH', path, { paused: !paused })}
        >
          <p>
            {paused
              ? 'It makes jobs again from its next time on.'
              : 'It makes no jobs; those that run go on.'}
          </p>
        </ConfirmDialog>
      )}
    </header>
  );
}

function Times({ schedule }: { schedule: Schedule }) {
  const { overlap, catchUp, startAt, endAt, next } = schedule;
  return (
    <section class="panel" aria-labelledby="times-title">
      <h2 id="times-title">When</h2>
      <dl class="facts">
        <Fact name="Times">{timesWords(schedule)}</Fact>
        <Fact name="While the one before runs, the next">{overlapWords[overlap]}</Fact>
        <Fact name="Of missed times it makes up for">{catchUpWords[catchUp]}</Fact>
        {startAt !== null && <Fact name="From">{clockWords(startAt)}</Fact>}
        {endAt !== null && <Fact name="Until">{clockWords(endAt)}</Fact>}
      </dl>
      {next.length > 0 && (
        <>
          <h3>Next times</h3>
          <ol>
            {next.map((at) => (
              <li key={at}>
                <time dateTime={at}>{clockWords(at)}</time>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

function Fact({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Runs({ path }: { path: string }) {
  const runs = useCollection<ScheduleRun>(`${path}/runs`, everyMs, scheduleRunsShownMax);
  const items = runs.value?.items ?? [];
  return (
    <section class="panel" aria-labelledby="runs-title">
      <h2 id="runs-title">What became of its times</h2>
      <FeedNotice live={runs} what="its times" />
      {runs.value !== null && items.length === 0 && <p class="soft">None has come yet.</p>}
      {items.length > 0 && (
        <ScrollBox label="List of times">
          <table>
            <thead>
              <tr>
                <th scope="col">Due</th>
                <th scope="col">Outcome</th>
                <th scope="col">Job</th>
              </tr>
            </thead>
            <tbody>
              {items.map((run) => (
                <tr key={`${run.at} ${run.job}`}>
                  <td>{clockWords(run.at)}</td>
                  <td>
                    <OutcomeBadge run={run} />
                  </td>
                  <td>
                    {run.job !== null && <Link to={{ page: 'job', id: run.job }}>{run.job}</Link>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </section>
  );
}
