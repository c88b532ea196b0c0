import type { EdgeAnswer, LeaseAnswer } from '../../../../core/contract/edge-answer.ts';
import type { CellEdge, Intent } from '../../../../core/model/cell.ts';
import { edgeStatusOf } from '../../../../core/model/edge-state.ts';
import { edgeAmountMax } from '../../../../core/model/limits.ts';
import { type JobId, poolOfCell } from '../../../../core/model/names.ts';
import { count, formatRanges, isEmpty } from '../../../../core/model/ranges.ts';
import type { StoredEdge } from '../../../../core/ports/edges.ts';
import {
  type Amounts,
  capacityOf,
  copyAmounts,
  demandOf,
  excessOf,
  reservedBy,
} from '../../../../core/scheduler/pass/capacity.ts';
import { timeOrNull } from '../../jobs/view/job-view.ts';

/** What an edge has done over all its jobs. */
export type EdgeTotals = { readonly chunksDone: number; readonly powerServed: number };

/**
 * How an edge looks from outside: its status comes from one function, its free amounts from the
 * scheduler's own.
 */
export function edgeView(
  edge: StoredEdge,
  intents: ReadonlyMap<JobId, Intent>,
  totals: EdgeTotals,
): EdgeAnswer {
  const { config, facts, report } = edge;
  const status = edgeStatusOf(edge);
  const capacity = capacityOf(edge);
  return {
    name: edge.name,
    pool: poolOfCell(edge.cell),
    cell: edge.cell,
    state: status.link,
    lastSeenAt: timeOrNull(lastSeenMs(edge)),
    connectedAt: report?.connected === true ? timeOrNull(report.connectionAtMs) : null,
    capacity: flat(capacity),
    free: flat(freeOf(edge, capacity, intents)),
    labels: { ...facts?.labels, ...config.labels },
    facts: { ...edge.allFacts },
    cordoned: status.cordoned,
    draining: status.draining,
    removing: status.removed,
    busy: status.busy,
    reason:
      config.drain?.reason ?? config.cordoned?.reason ?? foreignReason(edge) ?? excessReason(edge),
    leases: leasesOf(edge),
    totals,
  };
}

function foreignReason({ work }: Pick<CellEdge, 'work'>): string | null {
  const chunks = work?.foreignResults ?? 0;
  if (chunks === 0) return null;
  return `reports chunks as done that it was not given: ${chunks}, not counted`;
}

function excessReason(edge: Pick<CellEdge, 'facts'>): string | null {
  const names = excessOf(edge);
  if (names.length === 0) return null;
  return `claims more ${names.join(', ')} than is believed: counted as ${edgeAmountMax}`;
}

function lastSeenMs({ report }: Pick<CellEdge, 'report'>): number | null {
  if (report === null) return null;
  const seen = Math.max(report.receivedAtMs, report.connectionAtMs);
  return seen === 0 ? null : seen;
}

function flat(amounts: Amounts): Record<string, number> {
  return { power: amounts.power, ...Object.fromEntries(amounts.others) };
}

function freeOf(edge: StoredEdge, capacity: Amounts, intents: ReadonlyMap<JobId, Intent>): Amounts {
  const free = copyAmounts(capacity);
  for (const [job, lease] of edge.work?.leases ?? []) {
    const intent = intents.get(job);
    if (intent !== undefined) reservedBy({ ...lease, job: { demand: demandOf(intent) } }, free, -1);
  }
  return atLeastNone(free);
}

/** A capacity that was made smaller than what is in use leaves nothing free, not less. */
function atLeastNone({ power, others }: Amounts): Amounts {
  const entries = [...others].map(([name, n]) => [name, Math.max(0, n)] as const);
  return { power: Math.max(0, power), others: new Map(entries) };
}

function leasesOf(edge: StoredEdge): LeaseAnswer[] {
  return [...(edge.work?.leases ?? [])]
    .filter(([, lease]) => !isEmpty(lease.ranges))
    .map(([job, lease]) => {
      const done = count(lease.doneHere);
      const all = done + count(lease.deadHere) + count(lease.ranges);
      return {
        job,
        chunks: formatRanges(lease.ranges),
        slots: lease.slots,
        percent: all === 0 ? 0 : Math.floor((done * 100) / all),
      };
    });
}
