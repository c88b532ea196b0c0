import { isEmpty } from '../../model/ranges.ts';
import { isActive, type JobDraft, type LeaseDraft, type Pass } from '../pass/draft.ts';
import { marksOf } from './slice-in-lease.ts';

/**
 * Rows that were asked for and turn out not to be needed: those of slices that lie in leases
 * (`slice-in-lease.ts`), and those of executions that lie in a status (`closing-edge.ts`). They are
 * given back where that is certain, which is for jobs of one chunk, so that more of them fit into a
 * plan.
 */

/** When the lease has been granted its chunk. */
export function spareSlice(pass: Pass, { job }: LeaseDraft): void {
  if (job.spared || !isPlain(job)) return;
  job.spared = true;
  pass.rowsLeft++;
}

/**
 * Before the last chunk is taken from the lease, once the end is paid for: of the slice no row is
 * taken away, and the line of the end lies in the status, as does the end of the execution, unless
 * another edge has a part in it.
 */
export function spareEnd(pass: Pass, lease: LeaseDraft, loser: LeaseDraft | null): void {
  const { job } = lease;
  if (!isPlain(job) || !job.foldedByCell || job.before.countedAs === null) return;
  pass.rowsLeft++;
  const isAlone = job.leases.every((it) => it === lease || !it.touched);
  if (loser === null && isAlone && isActive(lease)) pass.rowsLeft++;
}

/** One chunk, to which nothing has happened yet: it is in one lease, or in none. */
function isPlain(job: JobDraft): boolean {
  const { intent, before, heldByDamaged } = job;
  const { restart, everywhere } = intent.spec;
  if (!job.hasNoSliceRow || intent.chunking.chunks !== 1 || !isEmpty(heldByDamaged)) return false;
  if (restart !== undefined || everywhere !== undefined) return false;
  if (intent.foldedByCell && !job.foldedByCell) return false;
  if (job.refusals.size + job.retries.size + job.losses.size > 0) return false;
  return job.retryEpoch === 0 && marksOf(before) !== null;
}
