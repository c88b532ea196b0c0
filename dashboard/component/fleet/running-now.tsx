import { useMemo } from 'preact/hooks';
import type { Job } from '../../../core/contract/resources.ts';
import { runningShownMax } from '../../limits.ts';
import { Link } from '../../route/navigation.tsx';
import { noJobsFilter } from '../../route/route.ts';
import { Took } from '../ago.tsx';
import { ChunkBar } from '../job/chunk-bar.tsx';

/** The newest jobs that are under way, under the cells: what all that load is for. */

export function RunningNow({ jobs }: { jobs: readonly Job[] }) {
  const running = useMemo(() => jobs.filter((job) => job.status.state === 'running'), [jobs]);
  return (
    <section class="panel running-now" aria-labelledby="running-title">
      <div class="panel-head">
        <h2 id="running-title">Running now</h2>
        <Link to={{ page: 'jobs', filter: { ...noJobsFilter, state: 'running' } }}>
          all {running.length}
        </Link>
      </div>
      {running.length === 0 && <p class="soft">No job runs at the moment.</p>}
      <ul>
        {running.slice(0, runningShownMax).map((job) => (
          <li key={job.id}>
            <Link to={{ page: 'job', id: job.id }}>{job.name ?? job.id}</Link>
            <ChunkBar counts={job.status.chunks} small />
            <span class="figures">{job.status.percent} %</span>
            <span class="figures">
              <Took from={job.status.startedAt} to={null} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
