import type { Placing } from '../../core/contract/jobspec/job-bodies.ts';
import { submissionsPlacedMax } from '../../core/contract/jobspec/limits.ts';
import type { JobId } from '../../core/model/names.ts';
import type { Submission } from '../../core/model/submission.ts';
import type { SubmissionsStore } from '../../core/ports/submissions.ts';
import type { Selection } from '../../core/selection/select-cluster.ts';
import type { Log } from '../log.ts';

export type PlaceDeps = {
  readonly submissions: Pick<SubmissionsStore, 'listWaiting' | 'find' | 'save'>;
  /** What its place would be now; a place is missing while nobody has what it needs. */
  readonly choose: (submission: Submission, nowMs: number) => Promise<Choice>;
  readonly log: Log;
};

export type Choice = { readonly selection: Selection | null; readonly placing: Placing | null };

/**
 * Looks again for somebody who has what a jobspec needs, whatever has come or changed. Which jobs
 * it becomes is decided with the place, so they are made only then; of what it finds, and of a
 * cancel at the same time, one holds. Those that find nobody go to the end of the line, if it is
 * longer than one turn. Says how many have a place now.
 */
export async function placeWaiting(nowMs: number, deps: PlaceDeps): Promise<number> {
  const listed = await deps.submissions.listWaiting(submissionsPlacedMax + 1);
  const isLonger = listed.length > submissionsPlacedMax;
  let placed = 0;
  for (const id of listed.slice(0, submissionsPlacedMax)) {
    try {
      if (await placeOne(id, isLonger, nowMs, deps)) placed++;
    } catch (error) {
      deps.log.error('submission-failed', { submission: id, error: String(error) });
      if (isLonger) await sendBack(id, nowMs, deps);
    }
  }
  return placed;
}

async function placeOne(
  id: JobId,
  isLonger: boolean,
  nowMs: number,
  deps: PlaceDeps,
): Promise<boolean> {
  const found = await deps.submissions.find(id);
  if (found === null || !found.waits) return false;
  const { selection, placing } = await deps.choose(found, nowMs);
  const cluster = selection?.cluster ?? null;
  if (cluster === null || placing === null) {
    if (isLonger) await sendBack(id, nowMs, deps);
    return false;
  }
  const decided = { cluster, placing, decision: selection, waits: false, lookedAtMs: nowMs };
  return deps.submissions.save({ ...found, ...decided, version: found.version + 1 }, found.version);
}

async function sendBack(id: JobId, nowMs: number, { submissions }: PlaceDeps): Promise<void> {
  const found = await submissions.find(id);
  if (found === null || !found.waits) return;
  await submissions.save(
    { ...found, lookedAtMs: nowMs, version: found.version + 1 },
    found.version,
  );
}
