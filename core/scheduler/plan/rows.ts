import {
  type EdgeDraft,
  type JobDraft,
  type LeaseDraft,
  lookAgain,
  type Pass,
} from '../pass/draft.ts';

/**
 * The budget of rows: a plan is committed in one transaction, so a pass changes only what fits into
 * it and leaves the rest to the next one, which is asked for at once. Whatever must change together
 * is asked for together.
 *
 * An edge costs its WORK row, a job its SHARE row and that of its counts, a lease also its
 * execution row. The counts of a job whose status is written here lie in that status, as do the
 * first lines of its timeline and those of its end; a line between them is a row.
 */
export const jobRows = 2;
const eventRows = 1;
/** Ending a job also takes its ASK row away, and notes that a rollup of its status is pending. */
const endedJobRows = 2;
/** Of one whose status is written here there is no such note, nor a row for the line of its end. */
const endedFoldRows = 1;
/** Leaving takes the EDGE, FACTS, REPORT and SEEN rows; the WORK row is counted as touched. */
export const removedEdgeRows = 4;

export function edgeCost(edge: EdgeDraft): number {
  return edge.touched ? 0 : 1;
}

export function jobCost(job: JobDraft): number {
  return job.touched ? 0 : jobRowsOf(job);
}

export function jobRowsOf(job: JobDraft): number {
  return jobRows + (job.foldedByCell && job.before.countedAs !== null ? eventRows : 0);
}

export function endCost({ endPaid, foldedByCell, before }: JobDraft): number {
  if (endPaid) return 0;
  if (!foldedByCell) return endedJobRows;
  return before.countedAs === null ? endedFoldRows : 0;
}

/**
 * By whoever brings the last result, so that the job ends in the pass that counts it: later on the
 * rows may be others', and the job would be written once more.
 */
export function payEnd(pass: Pass, job: JobDraft): void {
  pass.rowsLeft -= endCost(job);
  job.endPaid = true;
}

export function leaseCost(lease: LeaseDraft): number {
  return (lease.touched ? 0 : 1) + edgeCost(lease.edge) + jobCost(lease.job);
}

/**
 * Whether `rows` more fit; when not, the next pass is due at once. `keep` rows are left for later
 * phases.
 */
export function canAfford(pass: Pass, rows: number, keep = 0): boolean {
  if (rows === 0 || pass.rowsLeft - rows >= keep) return true;
  lookAgain(pass, pass.nowMs);
  return false;
}

export function spend(pass: Pass, rows: number): void {
  pass.rowsLeft -= rows;
}

export function touchEdge(pass: Pass, edge: EdgeDraft, bump: boolean): void {
  if (!edge.touched) pass.rowsLeft--;
  edge.touched = true;
  if (bump) edge.bumped = true;
}

export function touchJob(pass: Pass, job: JobDraft): void {
  if (!job.touched) pass.rowsLeft -= jobRowsOf(job);
  job.touched = true;
}

export function touchLease(pass: Pass, lease: LeaseDraft, bump: boolean): void {
  if (!lease.touched) pass.rowsLeft--;
  lease.touched = true;
  touchEdge(pass, lease.edge, bump);
  touchJob(pass, lease.job);
}
