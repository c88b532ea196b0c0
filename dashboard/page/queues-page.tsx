import type { Job, Queue } from '../../core/contract/resources.ts';
import { ManagementTabs } from '../component/management-tabs.tsx';
import { Meter } from '../component/meter.tsx';
import { Empty, FeedNotice } from '../component/notice.tsx';
import { WindowList } from '../component/window-list.tsx';
import { fleetJobsMax } from '../limits.ts';
import { useCollection } from '../live/use-live.ts';
import { type QueueRow, queueRows } from '../model/management/queue-rows.ts';
import { numberWords, powerWords, waitingSentence } from '../model/words.ts';
import { Link } from '../route/navigation.tsx';
import { noJobsFilter } from '../route/route.ts';

/** The queues: whose turn it is when there is not enough for all, and what waits in each. */
const everyMs = 5_000;
const jobsEveryMs = 3_000;
const columns = ['Queue', 'Waits', 'Share', 'Order', 'Quota'];

export function QueuesPage() {
  const queues = useCollection<Queue>('/v1/queues', everyMs);
  const jobs = useCollection<Job>('/v1/jobs', jobsEveryMs, fleetJobsMax);
  const rows = queueRows(queues.value?.items ?? [], jobs.value?.items ?? []);
  const deepest = Math.max(0, ...rows.map(({ chunks }) => chunks));
  const failing = [queues, jobs].find(({ problem }) => problem !== null);
  const noticed = queues.value === null ? queues : (failing ?? queues);
  return (
    <section class="panel jobs" aria-labelledby="queues-title">
      <div class="panel-head">
        <h1 id="queues-title">
          {queues.value === null
            ? 'Queues'
            : rows.length === 1
              ? '1 queue'
              : `${rows.length} queues`}
        </h1>
        <ManagementTabs at="queues" />
      </div>
      <FeedNotice live={noticed} what="queues" />
      {queues.value !== null && rows.length === 0 && (
        <Empty title="No queue was set up, and nothing waits.">
          <p>
            Jobs that name none are in the queue <code>default</code>. To give one a share:{' '}
            <code>edgewise queue set nightly --weight 0.5</code>
          </p>
        </Empty>
      )}
      {rows.length > 0 && (
        <WindowList
          items={rows}
          label="Queues"
          columns={columns}
          className="queue-table"
          keyOf={({ queue }) => queue.name}
          cells={(row) => <QueueCells row={row} deepest={deepest} />}
        />
      )}
    </section>
  );
}

function QueueCells({ row, deepest }: { row: QueueRow; deepest: number }) {
  const { queue, share, jobs, chunks } = row;
  const { name, weight, strict, quota } = queue;
  return (
    <>
      <td class="main-cell">
        <Link to={{ page: 'jobs', filter: { ...noJobsFilter, queue: name } }}>{name}</Link>
      </td>
      <td class="with-meter">
        <Meter value={chunks} of={deepest} label={`Chunks that wait in ${name}`} tone="queue" />
        <span>
          {chunks === 0
            ? 'nothing'
            : `${numberWords(chunks)} chunks of ${jobs === 1 ? '1 job' : `${jobs} jobs`}`}
        </span>
      </td>
      <td class="soft" title={`weight ${weight}`}>
        {share} %
      </td>
      <td class="soft" title={strict ? waitingSentence('queue-order') : undefined}>
        {strict ? 'strict: first come, first served' : 'whatever fits first'}
      </td>
      <td class="soft">{quota === null ? 'none' : `${powerWords(quota)} at once`}</td>
    </>
  );
}
