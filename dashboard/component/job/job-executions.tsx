import type { Execution, Job } from '../../api/resources.ts';
import { useCollection } from '../../live/use-live.ts';
import { countRanges } from '../../model/chunk-intervals.ts';
import { numberWords, powerWords } from '../../model/words.ts';
import { Link } from '../../route/navigation.tsx';
import { Took } from '../ago.tsx';
import { Meter } from '../meter.tsx';
import { Loading } from '../notice.tsx';
import { WindowList } from '../window-list.tsx';

/**
 * Where the job runs or ran: one row per edge with its percentage. The job carries a hundred; the
 * list has all.
 */
const inlineMax = 100;
const everyMs = 4_000;
const columns = ['Edge', 'Progress', 'Chunks', 'Done', 'Runs', 'Failed', 'Power', 'For'];

export function JobExecutions({ job, path }: { job: Job; path: string }) {
  const inline = job.status.executions;
  const many = inline.length >= inlineMax;
  const all = useCollection<Execution>(many ? `${path}/executions` : null, everyMs);
  // An edge that gave all of its part back before it did anything has no part in the job.
  const executions = (all.value?.items ?? inline).filter(({ chunks }) => chunks !== '');
  return (
    <section class="panel" aria-labelledby="split-title">
      <h2 id="split-title">
        Where it runs{' '}
        <span class="soft">
          {executions.length === 1 ? '1 edge' : `${numberWords(executions.length)} edges`}
        </span>
      </h2>
      {executions.length === 0 && <p class="soft">No edge has a part of it yet.</p>}
      {executions.length > 0 && (
        <WindowList
          items={executions}
          label="The job by edge"
          columns={columns}
          className="split-table"
          narrowPx={56}
          keyOf={(execution) => execution.edge}
          cells={executionCells}
        />
      )}
      {many && all.value === null && <Loading what="all edges" />}
    </section>
  );
}

function executionCells(execution: Execution) {
  const { edge, percent, power } = execution;
  return (
    <>
      <td class="main-cell">
        <Link to={{ page: 'edge', name: edge }}>{edge}</Link>
      </td>
      <td class="with-meter">
        <Meter value={percent} of={100} label={`${edge}, done`} tone="done" />
        <span>{percent} %</span>
      </td>
      <td class="figures" title={execution.chunks}>
        {numberWords(countRanges(execution.chunks))}
      </td>
      <td class="figures">{numberWords(countRanges(execution.done))}</td>
      <td class="figures">{numberWords(countRanges(execution.running))}</td>
      <td class="figures">{numberWords(countRanges(execution.dead))}</td>
      <td class="figures">{powerWords(power)}</td>
      <td class="soft">
        <Took from={execution.startedAt} to={execution.endedAt} />
      </td>
    </>
  );
}
