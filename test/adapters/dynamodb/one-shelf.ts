import { groupOf } from '../../../core/shelf/groups.ts';
import { arrivalOf } from '../../../core/shelf/shelf.ts';
import { commit, north } from '../../contract/stored-fixture.ts';
import type { Stores } from '../../contract/stored-ports.ts';
import { makeJob, startMs } from '../../core/cell-fixture.ts';

/** A job that waits outside of what a pass reads, and the group that counts it. */
export async function storeShelf(stores: Stores): Promise<void> {
  const made = makeJob('job-e', { chunks: 2, intent: { foldedByCell: true } });
  const seen = { reportedReasons: ['no-free-power'], countedAs: 'pending' as const };
  const slice = { ...made.slice, ...seen, lastEventAtMs: startMs + 1 };
  const job = { ...made, slice, hasNoSliceRow: true as const };
  const group = groupOf(job.intent);
  const first = arrivalOf(job);
  const counted = { queue: 'default', priority: 50, jobs: 1, chunks: 2, power: 200, first };
  const shelf = {
    groups: new Map([[group, counted]]),
    shelved: new Map([[job.id, { group, job }]]),
    taken: new Map(),
    settled: new Set<typeof job.id>(),
  };
  await commit(stores, north, { shelf });
}
