import { backlogTriesMax, fairTurnShare } from '../../model/limits.ts';
import { isInVain } from '../pass/candidates.ts';
import type { Amounts } from '../pass/capacity.ts';
import type { JobDraft, Pass, QueueDraft } from '../pass/draft.ts';
import { placeableOf } from '../pass/due-retries.ts';
import { dominantShare, openQueues, totalOf } from '../pass/queues.ts';
import { isBehindShelf, noteStuck } from '../pass/shelf-order.ts';

/** What came of a job's turn: all given, its turn used up, or no room for the rest. */
export type Turn = 'served' | 'more' | 'stuck';

/**
 * Whose turn it is: higher priority first; within one priority the queue that holds the least of
 * the cell for its weight (its dominant share); within a queue the earlier job. Queues that compete
 * take turns of a small part of the cell each, so that the first large job does not take
 * everything.
 *
 * A job that cannot be placed holds nobody up, except in a strict queue, which waits for its first
 * job. What it needs is remembered, so that thousands behind it that need the same cost next to
 * nothing; of those that need something else only so many are tried in one pass.
 *
 * Jobs on the shelf have their turn where they stand: what comes after them waits until the first
 * of them were brought, unless they would wait anyway.
 */
export function serveBacklog(
  pass: Pass,
  serve: (pass: Pass, job: JobDraft, powerMax: number) => Turn,
): void {
  const queues = openQueues(pass);
  const total = totalOf(pass);
  let tries = 0;
  for (const level of levelsOf(pass)) {
    const lines = new Map(level);
    while (lines.size > 0) {
      const name = neediest(lines, queues, total);
      const line = lines.get(name)!;
      const queue = queues.get(name)!;
      const powerMax = lines.size > 1 ? total.power * fairTurnShare : Number.POSITIVE_INFINITY;
      const job = line.jobs[line.next]!;
      if (isBehindShelf(pass, job, lines)) {
        pass.shelf.isHalted = true;
        return;
      }
      if (!isInVain(pass, job) && ++tries > backlogTriesMax) return;
      if (queue.blocked) job.obstacle = 'strict-queue';
      const outcome = queue.blocked ? 'stuck' : serve(pass, job, powerMax);
      if (outcome === 'more') continue;
      if (outcome === 'stuck') {
        noteStuck(pass, job);
        if (queue.config.strict) queue.blocked = true;
      }
      line.next++;
      if (line.next >= line.jobs.length) lines.delete(name);
    }
  }
}

type Line = { readonly jobs: JobDraft[]; next: number };

/** Per priority, highest first: the jobs of each queue in the order of arrival. */
function levelsOf(pass: Pass): Map<string, Line>[] {
  const waiting: JobDraft[] = [];
  for (const job of pass.jobs.values()) if (wantsEdges(pass, job)) waiting.push(job);
  waiting.sort(byPriority);
  const levels = new Map<number, Map<string, Line>>();
  for (const job of waiting) {
    const { priority, queue } = job.intent.spec;
    const level: Map<string, Line> = levels.get(priority) ?? new Map();
    levels.set(priority, level);
    const line = level.get(queue);
    if (line === undefined) level.set(queue, { jobs: [job], next: 0 });
    else line.jobs.push(job);
  }
  return [...levels.values()];
}

function wantsEdges(pass: Pass, job: JobDraft): boolean {
  if (job.intent.blockedByDependencies || job.endReason !== null) return false;
  return placeableOf(pass, job).length > 0;
}

/**
 * Highest first, then by arrival; ids sort by time too, so that jobs of one millisecond keep one
 * order.
 */
function byPriority(a: JobDraft, b: JobDraft): number {
  const order =
    b.intent.spec.priority - a.intent.spec.priority ||
    a.intent.submittedAtMs - b.intent.submittedAtMs;
  if (order !== 0) return order;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function neediest(
  lines: ReadonlyMap<string, Line>,
  queues: ReadonlyMap<string, QueueDraft>,
  total: Amounts,
): string {
  let best = '';
  let lowest = Number.POSITIVE_INFINITY;
  for (const name of lines.keys()) {
    const share = lines.size === 1 ? 0 : dominantShare(queues.get(name)!, total);
    if (share < lowest || (share === lowest && name < best)) {
      lowest = share;
      best = name;
    }
  }
  return best;
}
