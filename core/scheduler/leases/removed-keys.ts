import type { JobId } from '../../model/names.ts';
import { isEmpty } from '../../model/ranges.ts';
import { type EdgeDraft, isActive } from '../pass/draft.ts';
import { isApplied } from './epochs.ts';

/**
 * Keys that earlier documents may have left in the shadow; once the edge has applied the last one,
 * they are gone.
 */
export function removedKeys(edge: EdgeDraft): ReadonlySet<JobId> {
  const { before } = edge;
  const keys = new Set<JobId>([...(isApplied(edge) ? [] : before.removed), ...edge.unknownJobs]);
  for (const [id, lease] of before.leases) if (!isEmpty(lease.ranges)) keys.add(id);
  for (const [id, lease] of edge.leases) if (isActive(lease)) keys.delete(id);
  for (const [id, { lease }] of edge.suspended) if (!isEmpty(lease.ranges)) keys.delete(id);
  return keys;
}
