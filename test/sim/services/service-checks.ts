import type { Cell, CellEdge, CellJob } from '../../../core/model/cell.ts';
import type { EdgeName, JobId } from '../../../core/model/names.ts';
import { presentAt } from '../../../core/model/presence.ts';
import {
  chunksOf,
  count,
  emptyRanges,
  fromChunks,
  has,
  intersect,
  isEmpty,
  type RangeSet,
  subtract,
  unionAll,
} from '../../../core/model/ranges.ts';
import { numbersOf } from '../../../core/services/instance-numbers.ts';
import { must } from '../checks/truth.ts';
import type { InstanceBook, Start } from './instance-book.ts';

/**
 * What must hold of services after every commit, against what really runs and what users really
 * want.
 */
export function checkServices(book: InstanceBook, cells: Cells, nowMs: number): void {
  const { before, after } = cells;
  for (const job of after.jobs.values()) {
    const was = before.jobs.get(job.id);
    if (was === undefined || !book.isService(job.id)) continue;
    checkAway(book, { was, job, ...cells, nowMs });
    checkSettled(book, { was, job, ...cells, nowMs });
    checkWanted(book, job, { before, after });
    checkStarts(was, job);
    if (isGivenUp(was, job)) book.givenUp(job.id);
  }
}

/** Also by the pass that sees what its user wants: it was given up before, and is so again. */
function isGivenUp(was: CellJob, { slice: { rollout } }: CellJob): boolean {
  const isOver = rollout?.state === 'paused' || rollout?.state === 'rolled-back';
  const before = was.slice.rollout;
  return isOver && (rollout.state !== before?.state || rollout.restarts !== before.restarts);
}

/**
 * What the pass saw, what was stored when it was committed, and what is since; and all the others
 * as they are.
 */
type Cells = {
  readonly seen: Cell;
  readonly before: Cell;
  readonly after: Cell;
  readonly others: () => readonly Cell[];
};

type Step = Cells & { readonly was: CellJob; readonly job: CellJob; readonly nowMs: number };

/** By whose will an instance that was ready is stopped. */
const willing = /^(brought to|started anew|its edge is drained)/;

/**
 * Nobody takes an instance that was ready away while as many as are allowed are away already: ready
 * is what really ran for long enough, as the start that is asked for now. What was lost with its
 * edge was taken by nobody, and starts as it is wanted now.
 */
function checkAway(book: InstanceBook, step: Step): void {
  const { was, job, before } = step;
  const { spec, chunking } = job.intent;
  const { update, everywhere } = spec;
  if (update === undefined) return;
  const ready = readyIn(before, job.id);
  const stopped = [...job.slice.retries].filter(([chunk, { failures, last }]) => {
    const isNew = failures > (was.slice.retries.get(chunk)?.failures ?? 0);
    const isLost = (job.slice.losses.get(chunk) ?? 0) > (was.slice.losses.get(chunk) ?? 0);
    return isNew && !isLost && has(ready, chunk) && willing.test(String(last));
  });
  if (stopped.length === 0) return;
  let open = openOf(job);
  if (everywhere !== undefined) open = subtract(open, unreachable(book, step));
  const away = [...chunksOf(open)].filter((chunk) => {
    const attempt = startsOf(job, chunk);
    return !book.wasReady(job.id, chunk, attempt);
  });
  const standsIn = everywhere === undefined ? count(subtract(open, numbersOf(chunking))) : 0;
  const most = update.maxUnavailable;
  if (everywhere !== undefined) away.push(...movingElsewhere(book, step));
  must(
    away.length - standsIn <= most,
    () =>
      `service ${job.id}: ${stopped.map(([it, { last }]) => `${it} (${last})`).join()} ` +
      `stopped although ${away.join()} of ${count(open)} are away and ${most} may be`,
  );
}

/** Of those that other cells have brought and not settled yet, who is away for it. */
function movingElsewhere(book: InstanceBook, { job: { id }, others, nowMs }: Step): number[] {
  return others().flatMap((cell) => {
    const job = cell.jobs.get(id);
    if (job === undefined || job.slice.rollout?.late === true) return [];
    const gone = unreachable(book, { job, seen: cell, after: cell, nowMs });
    const { retries, rollout } = job.slice;
    return [...(rollout?.unsettled.keys() ?? [])].filter((chunk) => {
      const isTaken = willing.test(String(retries.get(chunk)?.last));
      return isTaken && !has(gone, chunk) && !book.wasReady(id, chunk, startsOf(job, chunk));
    });
  });
}

/**
 * Who was brought counts as settled only once that start of it has really run for as long as its
 * user wants, beyond the moment at which it was ready.
 */
function checkSettled(book: InstanceBook, step: Step): void {
  const { was, job } = step;
  const [rollout, next] = [was.slice.rollout, job.slice.rollout];
  const seconds = job.intent.spec.update?.minReadySeconds ?? 0;
  if (rollout === undefined || next === undefined || seconds === 0) return;
  if (next.generation !== rollout.generation || next.restarts !== rollout.restarts) return;
  const open = subtract(openOf(job), unreachable(book, step));
  for (const chunk of rollout.unsettled.keys()) {
    const attempt = startsOf(job, chunk);
    const isSettled = !next.unsettled.has(chunk) && startsOf(was, chunk) === attempt;
    if (!isSettled || !has(open, chunk)) continue;
    must(
      book.wasReady(job.id, chunk, attempt, seconds * 1_000 - book.clocksApartMs),
      () => `service ${job.id}: ${chunk} counts as settled and was not ready for ${seconds} s`,
    );
  }
}

function startsOf({ slice }: CellJob, chunk: number): number {
  return (slice.retries.get(chunk)?.failures ?? 0) + 1;
}

/** Ready as it is stored, and as its edge still says. */
function readyIn(cell: Cell, id: JobId): RangeSet {
  return unionAll(
    [...cell.edges.values()].map(({ work, report }) => {
      const ready = work?.leases.get(id)?.ready ?? emptyRanges;
      const progress = report?.progress ?? null;
      if (progress === null) return ready;
      return intersect(ready, progress.jobs.get(id)?.ready ?? emptyRanges);
    }),
  );
}

export function openOf({ slice }: CellJob): RangeSet {
  return subtract(subtract(subtract(slice.ranges, slice.done), slice.dead), slice.cancelled);
}

/**
 * An edge that the pass saw without a connection may be there by the time it commits; and one that
 * polls has been silent for too long by one clock, and not yet by another.
 */
function unreachable(
  book: InstanceBook,
  { job, seen, after, nowMs }: Pick<Step, 'job' | 'seen' | 'after' | 'nowMs'>,
): RangeSet {
  const isGone = (edge: CellEdge | undefined, atMs: number) =>
    edge === undefined || presentAt(edge, atMs).report?.connected !== true;
  const seats = [...(job.slice.seats ?? [])].filter(([edge]) =>
    [seen, after].some(({ edges }) => isGone(edges.get(edge), nowMs + book.clocksApartMs)),
  );
  return fromChunks(seats.map(([, seat]) => seat));
}

/** For so long a pass may have seen what is not wanted any more. */
const seenForMs = 60_000;

/** Nothing is given to anybody that nobody wants any more. */
function checkWanted(
  book: InstanceBook,
  { id, intent, slice }: CellJob,
  { before, after }: Pick<Step, 'before' | 'after'>,
): void {
  const wanted = book.wantedSince(id, seenForMs);
  for (const { name, work } of after.edges.values()) {
    const had = before.edges.get(name)?.work?.leases.get(id)?.ranges ?? emptyRanges;
    const fresh = subtract(work?.leases.get(id)?.ranges ?? emptyRanges, had);
    if (isEmpty(fresh)) continue;
    must(wanted !== null, () => `service ${id} is deleted and ${name} was given ${fresh}`);
    if (intent.spec.everywhere !== undefined) continue;
    const beyond = subtract(fresh, wanted!);
    const most = slice.standIns === undefined ? 0 : intent.spec.update!.maxUnavailable;
    must(
      count(beyond) <= most,
      () => `service ${id}: ${name} was given ${beyond} and ${wanted} are wanted`,
    );
  }
}

/** A number of a start is never used again. */
function checkStarts(was: CellJob, job: CellJob): void {
  for (const [chunk, { failures }] of was.slice.retries) {
    const now = job.slice.retries.get(chunk)?.failures ?? failures;
    must(now >= failures, () => `service ${job.id}: starts of ${chunk} fell to ${now}`);
  }
}

/** Two that can be reached run one number, and since when. */
export type Doubles = Map<string, number>;

/** Longer than it takes to tell an edge again what it holds. */
const graceMs = 180_000;

/** Looked at now and then: never two holders of one number for longer than the grace. */
export function checkHolders(
  starts: readonly Start[],
  doubles: Doubles,
  { nowMs, isReachable }: { nowMs: number; isReachable: (edge: EdgeName) => boolean },
): void {
  const holders = Map.groupBy(
    starts.filter(({ edge }) => isReachable(edge)),
    ({ job, chunk }) => `${job}/${chunk}`,
  );
  for (const key of doubles.keys()) if ((holders.get(key)?.length ?? 0) < 2) doubles.delete(key);
  for (const [key, held] of holders) {
    if (held.length < 2) continue;
    const sinceMs = doubles.get(key) ?? nowMs;
    doubles.set(key, sinceMs);
    const edges = held.map(({ edge }) => edge).join(' and ');
    must(nowMs - sinceMs <= graceMs, () => `${key} has run on ${edges} for ${nowMs - sinceMs} ms`);
  }
}

/** Numbers that run, each as what its edge holds. */
export function describeInstances(starts: readonly Start[]): string {
  return starts.map(({ chunk, attempt, edge }) => `${chunk}#${attempt} on ${edge}`).join(', ');
}
