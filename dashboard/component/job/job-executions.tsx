import { useMemo } from 'preact/hooks';
import type { Execution } from '../../../core/contract/resources.ts';
import { pagedRowsMax } from '../../limits.ts';
import {
  directionOf,
  nextSort,
  type SplitRow,
  splitColumns,
  splitOrder,
  splitPage,
} from '../../model/split-rows.ts';
import { numberWords, powerWords } from '../../model/words.ts';
import { go, Link } from '../../route/navigation.tsx';
import type { JobView } from '../../route/route.ts';
import { Took } from '../ago.tsx';
import { Meter } from '../meter.tsx';
import { Pager, pageWords } from '../pager.tsx';
import { WindowList } from '../window-list.tsx';

/**
 * Where the job runs or ran: one row per edge with its percentage, a screen of them at a time, in
 * the order of any column.
 */
export type JobExecutionsProps = {
  readonly id: string;
  readonly view: JobView;
  readonly executions: readonly Execution[];
};

export function JobExecutions({ id, view, executions }: JobExecutionsProps) {
  const order = splitOrder(view.sort);
  const { rows, total, at, pages } = useMemo(
    () => splitPage(executions, splitOrder(view.sort), view.at, pagedRowsMax),
    [executions, view.sort, view.at],
  );
  const show = (change: Partial<JobView>) =>
    go({ page: 'job', id, view: { ...view, ...change } }, 'replace');
  const sortBy = (sort: string) => show({ sort, at: 0 });
  return (
    <section class="panel" aria-labelledby="split-title">
      <div class="panel-head">
        <h2 id="split-title">
          Where it runs{' '}
          <span class="soft">{total === 1 ? '1 edge' : `${numberWords(total)} edges`}</span>
        </h2>
        {total > 1 && (
          <label class="narrow-sort">
            Order
            <select value={order.column} onChange={(event) => sortBy(event.currentTarget.value)}>
              {splitColumns.map(([column, title]) => (
                <option key={column} value={column}>
                  {title}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {total === 0 && <p class="soft">No edge has a part of it yet.</p>}
      {total > 0 && (
        <WindowList
          items={rows}
          label="The job by edge"
          columns={splitColumns.map(([, title]) => title)}
          sort={{
            at: splitColumns.findIndex(([column]) => column === order.column),
            direction: directionOf(order),
            onPress: (index) => sortBy(nextSort(order, splitColumns[index]![0])),
          }}
          className="split-table"
          narrowPx={56}
          keyOf={(row) => row.edge}
          cells={splitCells}
        />
      )}
      <Pager
        label="Pages of edges"
        words={pageWords(at, rows.length, pagedRowsMax, total)}
        onBack={at === 0 ? null : () => show({ at: at - 1 })}
        onNext={at === pages - 1 ? null : () => show({ at: at + 1 })}
      />
    </section>
  );
}

function splitCells(row: SplitRow) {
  const { edge, percent, power } = row;
  return (
    <>
      <td class="main-cell">
        <Link to={{ page: 'edge', name: edge }}>{edge}</Link>
      </td>
      <td class="with-meter">
        <Meter value={percent} of={100} label={`${edge}, done`} tone="done" />
        <span>{percent} %</span>
      </td>
      <td class="figures" title={row.ranges}>
        {numberWords(row.chunks)}
      </td>
      <td class="figures">{numberWords(row.done)}</td>
      <td class="figures">{numberWords(row.running)}</td>
      <td class={row.failed === 0 ? 'figures' : 'figures bad'}>{numberWords(row.failed)}</td>
      <td class="figures">{powerWords(power)}</td>
      <td class="soft">
        <Took from={row.startedAt} to={row.endedAt} />
      </td>
    </>
  );
}
