import { useMemo } from 'preact/hooks';
import type { Problem } from '../api/problem.ts';
import type { Edge, Job } from '../api/resources.ts';
import { useNow } from '../live/use-live.ts';
import { Link } from '../route/navigation.tsx';
import { noFleetFilter, noJobsFilter } from '../route/route.ts';
import { FailurePanel } from './failure-panel.tsx';
import { depthByQueue, powerByPool, timedJobs } from './fleet-summary.ts';
import { Meter } from './meter.tsx';
import { FeedNotice } from './notice.tsx';
import { ThroughputPlot } from './plot.tsx';
import { throughput } from './throughput.ts';
import { numberWords, powerWords } from './words.ts';

/** Beside the cells: the last hour, power by pool, depth by queue, and why chunks failed. */
export type FleetSideProps = {
  readonly edges: readonly Edge[];
  readonly jobs: readonly Job[];
  readonly live: { value: unknown; problem: Problem | null; loaded: boolean; refresh: () => void };
};

const replotEveryMs = 5_000;

export function FleetSide({ edges, jobs, live }: FleetSideProps) {
  return (
    <aside class="side" aria-label="Summary">
      <section class="panel">
        <h2>Throughput</h2>
        <FeedNotice live={live} what="jobs" />
        <LastHour jobs={jobs} />
      </section>
      <Pools edges={edges} />
      <Queues jobs={jobs} />
      <FailurePanel jobs={jobs} />
    </aside>
  );
}

function LastHour({ jobs }: { jobs: readonly Job[] }) {
  const nowMs = useNow(replotEveryMs);
  const values = useMemo(() => throughput(timedJobs(jobs), nowMs), [jobs, nowMs]);
  return <ThroughputPlot values={values} />;
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
