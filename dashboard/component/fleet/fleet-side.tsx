import { useMemo } from 'preact/hooks';
import type { Edge, Job, StatsHistory } from '../../../core/contract/resources.ts';
import { useResource } from '../../live/use-live.ts';
import { depthByQueue, powerByPool } from '../../model/fleet-summary.ts';
import { numberWords, powerWords } from '../../model/words.ts';
import { Link } from '../../route/navigation.tsx';
import { noFleetFilter, noJobsFilter } from '../../route/route.ts';
import { Meter } from '../meter.tsx';
import { FeedNotice } from '../notice.tsx';
import { ThroughputPlot } from '../plot.tsx';
import { FailurePanel } from './failure-panel.tsx';

/** Beside the cells: the last hour, power by pool, depth by queue, and why chunks failed. */
export type FleetSideProps = {
  readonly edges: readonly Edge[];
  readonly jobs: readonly Job[];
};

const historyEveryMs = 5_000;

export function FleetSide({ edges, jobs }: FleetSideProps) {
  return (
    <aside class="side" aria-label="Summary">
      <section class="panel">
        <h2>Throughput</h2>
        <LastHour />
      </section>
      <Pools edges={edges} />
      <Queues jobs={jobs} />
      <FailurePanel jobs={jobs} />
    </aside>
  );
}

function LastHour() {
  const history = useResource<StatsHistory>('/v1/stats/history', historyEveryMs);
  const minutes = history.value?.minutes;
  const values = useMemo(() => (minutes ?? []).map(({ chunks }) => chunks), [minutes]);
  if (minutes === undefined) return <FeedNotice live={history} what="the last hour" />;
  if (minutes.length === 0) return <p class="soft">A token of one pool does not see it.</p>;
  return (
    <>
      <FeedNotice live={history} what="the last hour" />
      <ThroughputPlot values={values} />
    </>
  );
}

function Pools({ edges }: { edges: readonly Edge[] }) {
  const pools = useMemo(() => powerByPool(edges), [edges]);
  if (pools.length === 0) return null;
  return (
    <section class="panel">
      <h2>Power by pool</h2>
      <ul class="bars">
        {pools.map(({ pool, used, total }) => (
          <li key={pool}>
            <Link to={{ page: 'fleet', filter: { ...noFleetFilter, pool } }}>{pool}</Link>
            <span class="figures">
              {powerWords(used)} of {powerWords(total)}
            </span>
            <Meter value={used} of={total} label={`Power used in ${pool}`} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Queues({ jobs }: { jobs: readonly Job[] }) {
  const queues = useMemo(() => depthByQueue(jobs), [jobs]);
  const deepest = queues[0]?.chunks ?? 0;
  return (
    <section class="panel">
      <h2>Queue depth</h2>
      {queues.length === 0 && <p class="soft">Nothing waits.</p>}
      <ul class="bars">
        {queues.slice(0, 6).map(({ queue, jobs: count, chunks }) => (
          <li key={queue}>
            <Link to={{ page: 'jobs', filter: { ...noJobsFilter, queue } }}>{queue}</Link>
            <span class="figures">
              {numberWords(chunks)} chunks of {count === 1 ? '1 job' : `${numberWords(count)} jobs`}
            </span>
            <Meter value={chunks} of={deepest} label={`Depth of ${queue}`} tone="queue" />
          </li>
        ))}
      </ul>
    </section>
  );
}
