import type { CellJob } from '../../model/cell.ts';
import type { JobId } from '../../model/names.ts';
import { isEmpty } from '../../model/ranges.ts';
import { groupOf, isPlain } from '../../shelf/groups.ts';
import {
  arrivalOf,
  isEarlier,
  type ShelfChange,
  type ShelfGroup,
  type ShelvedJob,
} from '../../shelf/shelf.ts';
import type { JobDraft, Pass } from './draft.ts';

/** Where the jobs on the shelf stand among those that a pass sees, and what it changes of them. */

/** One to which this pass has done nothing either. */
export function isUntouched(job: JobDraft): boolean {
  if (job.touched || job.leases.length > 0 || job.ended || job.endReason !== null) return false;
  return job.foldedByCell && isEmpty(job.heldByDamaged) && isPlain(job.intent, job.before);
}

export function noteStuck({ shelf }: Pass, job: JobDraft): void {
  if (shelf.groups.size > 0 && isUntouched(job)) shelf.stuck.add(groupOf(job.intent));
}

/**
 * Whether jobs on the shelf go before this one, and might find room. `open`: the queues of its
 * priority that have jobs left whose turn comes.
 */
export function isBehindShelf(
  pass: Pass,
  job: JobDraft,
  open: ReadonlyMap<string, unknown>,
): boolean {
  const { priority, queue } = job.intent.spec;
  for (const [name, group] of pass.shelf.groups) {
    if (group.priority < priority || isWaitedFor(pass, name, group)) continue;
    if (group.priority > priority || !open.has(group.queue)) return true;
    if (group.queue === queue && isEarlier(group.first, arrivalOf(job))) return true;
  }
  return false;
}

/** In vain, because one before them waits, or because nothing of them is there to be read. */
function isWaitedFor({ cell, queues, shelf }: Pass, name: string, group: ShelfGroup): boolean {
  if (group.jobs === 0 || shelf.stuck.has(name)) return true;
  if (queues?.get(group.queue)?.blocked === true) return true;
  return cell.shelf?.next.get(name)?.length === 0;
}

/** `null` where nothing of it changes. `shelved` are the jobs that go there, as they are then. */
export function shelfChange(
  { cell, jobs, shelf }: Pass,
  shelved: ReadonlyMap<JobId, ShelvedJob<CellJob>>,
): ShelfChange<CellJob> | null {
  if (shelf.changed.size === 0 && shelf.settled.size === 0) return null;
  const groups = new Map<string, ShelfGroup | null>();
  for (const name of shelf.changed) {
    const group = shelf.groups.get(name);
    if (group !== undefined && group.jobs > 0) groups.set(name, group);
    else if (cell.shelf?.groups.has(name)) groups.set(name, null);
  }
  const settled = new Set([...shelf.settled].filter((id) => jobs.get(id)?.ended !== true));
  return { groups, shelved, taken: shelf.taken, settled };
}
