import type { EdgeAnswer, LeaseAnswer } from '../../../../core/contract/edge-answer.ts';
import { type CellEdge, type Intent, noEdgeWork } from '../../../../core/model/cell.ts';
import { edgeStatusOf } from '../../../../core/model/edge-state.ts';
import { crashingStarts } from '../../../../core/model/limits.ts';
import { type JobId, poolOfCell } from '../../../../core/model/names.ts';
import { lastSeenAtMs } from '../../../../core/model/presence.ts';
import { count, formatRanges, isEmpty } from '../../../../core/model/ranges.ts';
import { isCrashing, isDoubled } from '../../../../core/model/starts.ts';
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
import { clusterView } from './cluster-view.ts';

/**
 * How an edge looks from outside: its status comes from one function, its free amounts from the
 * scheduler's own.
 */
export function edgeView(
  edge: StoredEdge,
  intents: ReadonlyMap<JobId, Intent>,
  nowMs: number,
): EdgeAnswer {
  const { config, facts, report } = edge;
  const status = edgeStatusOf(edge);
  const capacity = capacityOf(edge);
  return {
    name: edge.name,
    pool: poolOfCell(edge.cell),
    cell: edge.cell,
    state: status.link,
    lastSeenAt: timeOrNull(lastSeenAtMs(report) || null),
    connectedAt: report?.connected === true ? timeOrNull(report.connectionAtMs) : null,
    capacity: flat(capacity),
    free: flat(freeOf(edge, capacity, intents)),
    labels: { ...facts?.labels, ...config.labels },
    facts: { ...edge.allFacts },
    factsAt: timeOrNull(edge.factsAtMs ?? null),
    cordoned: status.cordoned,
    draining: status.draining,
    removing: status.removed,
    busy: status.busy,
    crashing: isCrashing(edge.work?.starts, nowMs),
    reason:
      unreadableReason(edge) ??
      config.drain?.reason ??
      config.cordoned?.reason ??
      doubledReason(edge) ??
      crashingReason(edge, nowMs) ??
      foreignReason(edge) ??
      excessReason(edge),
    leases: leasesOf(edge),
    mode: config.pull == null ? 'push' : 'pull',
    offers: config.pull?.offers ?? null,
    ...clusterView(edge.cluster, nowMs),
    totals: (edge.work ?? noEdgeWork).totals,
  };
}

function doubledReason({ work }: Pick<CellEdge, 'work'>): string | null {
  if (!isDoubled(work?.starts)) return null;
  return 'two agents use its identity and run the same work: stop one of them';
}

function crashingReason({ work }: Pick<CellEdge, 'work'>, nowMs: number): string | null {
  if (!isCrashing(work?.starts, nowMs)) return null;
  return `its agent was started anew ${crashingStarts} times within ten minutes: look at its log`;
}

/** The row is named, so that whoever runs the system can mend it. */
function unreadableReason({ unreadable }: StoredEdge): string | null {
  return unreadable === undefined ? null : `its row ${unreadable} cannot be read`;
}

function foreignReason({ work }: Pick<CellEdge, 'work'>): string | null {
  const chunks = work?.foreignResults ?? 0;
  if (chunks === 0) return null;
  return `reports chunks as done that it was not given: ${chunks}, not counted`;
}

function excessReason(edge: Pick<CellEdge, 'config' | 'facts' | 'capacityMax'>): string | null {
  const excess = excessOf(edge);
  if (excess.length === 0) return null;
  const counted = excess.map(([name, most]) => `${name} as ${most}`).join(', ');
  return `claims more than is believed: counted ${counted}`;
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
      const percents = [...(lease.percents?.values() ?? [])];
      const worked = percents.reduce((sum, percent) => sum + percent, 100 * done);
      const all = done + count(lease.deadHere) + count(lease.ranges);
      return {
        job,
        chunks: formatRanges(lease.ranges),
        slots: lease.slots,
        percent: all === 0 ? 0 : Math.floor(worked / all),
      };
    });
}
