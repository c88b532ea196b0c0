import { type CellEdge, type EdgeWork, noEdgeWork } from '../model/cell.ts';
import { hasApplied } from '../model/edge-state.ts';
import { isEmpty } from '../model/ranges.ts';

/**
 * An edge that goes to a cell of another pool. It takes its settings, its facts and its count of
 * documents along, and nothing of a job: jobs stay in the cells of their pool, so an edge goes only
 * when it holds none of them. What a pass gives it meanwhile refuses the move, which is made
 * against the version of the cell.
 */
export type Held = 'nothing' | 'leaving' | 'work' | 'unconfirmed' | 'cluster';

type Mover = Pick<CellEdge, 'config' | 'report' | 'work'> & { readonly cluster: object | null };

export function heldBy({ config, report, work, cluster }: Mover): Held {
  if (config.removing !== null) return 'leaving';
  // Tokens by which others submit to it are bound to its pool.
  if (cluster !== null) return 'cluster';
  const before = work ?? noEdgeWork;
  if ((before.taken ?? []).length > 0) return 'work';
  for (const lease of before.leases.values()) {
    // The slice of a job may lie in its lease alone.
    if (!isEmpty(lease.ranges) || lease.slice !== undefined) return 'work';
  }
  const said = [...(report?.progress?.jobs.values() ?? [])];
  if (said.some(({ running }) => !isEmpty(running))) return 'unconfirmed';
  return report?.connected === true && !hasApplied(report, before) ? 'unconfirmed' : 'nothing';
}

/**
 * Its work row in the other cell. The epoch goes on from there: an agent applies no document older
 * than the one it has.
 */
export function workElsewhere(work: EdgeWork | null): EdgeWork | null {
  return work === null ? null : { ...work, leases: new Map() };
}
