import { isFinal, type JobState } from '../model/job.ts';
import type { JobEvent, Progress } from '../model/job-event.ts';
import {
  cancelledOtherwise,
  eventTimeOf,
  foldJob,
  hasTooManyFailed,
  type JobStatus,
  sameStatus,
} from '../model/job-status.ts';
import type { CellId, JobId } from '../model/names.ts';
import type { JobCellStatus } from '../model/plan.ts';
import { emptyRanges } from '../model/ranges.ts';
import type { RolloutCounts, RolloutState } from '../services/service.ts';

/** What the rollup knows of a job: its status, and what each cell said last. */
export type RollupView = {
  readonly status: JobStatus;
  readonly cells: ReadonlyMap<CellId, JobCellStatus>;
  /** States of the jobs it waits for; those that are gone are missing. */
  readonly parents: ReadonlyMap<JobId, JobState>;
};

/** What follows from the counts, so specific that whoever carries it out decides nothing. */
export type Rollup = {
  readonly next: JobStatus;
  readonly changed: boolean;
  /** Tell these cells that the job may start. */
  readonly release: readonly CellId[];
  /** Tell these cells that the job shall end. */
  readonly cancel: readonly CellId[];
  readonly events: readonly JobEvent[];
  /** Jobs that wait for this one may have to be folded. */
  readonly settleDependants: boolean;
  /** Chunks done and jobs ended since the status before: for rates, not for totals. */
  readonly progress: Progress;
};

/**
 * Decides what the new counts mean for the job. A pure function of what is stored, so that it may
 * be run again at any time: releases and cancellations are repeated as long as a cell does not show
 * them, and nothing hangs on having seen a particular event.
 */
export function rollUp(view: RollupView, nowMs: number): Rollup {
  const { status } = view;
  const retrying = status.retrying.filter(([cell, epoch]) => !showsEpoch(view, cell, epoch));
  const cells = new Map([...view.cells, ...retrying.flatMap(([cell]) => revivedIn(view, cell))]);
  const settled = settleParents(view);
  const folded = foldJob(settled, [...cells.values()], nowMs);
  const events = eventsOf(status, folded, nowMs);
  events.push(...rolloutEventsOf(status, folded, events.at(-1)?.atMs ?? nowMs));
  const next = {
    ...folded,
    retrying,
    countedAs: folded.state,
    lastEventAtMs: events.at(-1)?.atMs ?? status.lastEventAtMs,
    version: status.version + 1,
  };
  const open = [...new Set([...status.cells, ...cells.keys()])].filter(
    (cell) => (cells.get(cell)?.endedAtMs ?? null) === null,
  );
  const heldIn = (cell: CellId) => (cells.get(cell)?.counts.waiting ?? 0) > 0;
  const ends =
    (next.cancelled || next.dependencyFailed || hasTooManyFailed(next)) && !isFinal(next.state);
  return {
    next,
    changed: !sameStatus(status, next),
    // A job that ends is not released: between that and its cancellation a pass could start it.
    release:
      next.blockedByDependencies || ends
        ? []
        : open.filter((cell) => status.blockedByDependencies || heldIn(cell)),
    cancel: ends ? open : [],
    events,
    settleDependants: isFinal(next.state),
    progress: {
      chunks: Math.max(0, next.counts.done - status.counts.done),
      jobs: isFinal(next.state) && !isFinal(status.state) ? 1 : 0,
    },
  };
}

function showsEpoch({ cells }: RollupView, cell: CellId, epoch: number): boolean {
  return (cells.get(cell)?.retryEpoch ?? 0) >= epoch;
}

/**
 * What a cell counted before its user's retry, as it is since. Taken as it was counted, the job
 * would have ended again before the cell could begin.
 */
function revivedIn({ cells }: RollupView, cell: CellId): [CellId, JobCellStatus][] {
  const before = cells.get(cell);
  if (before === undefined) return [];
  const { dead, pending } = before.counts;
  const counts = { ...before.counts, dead: 0, pending: pending + dead };
  return [[cell, { ...before, counts, dead: emptyRanges, endedAtMs: null, reason: null }]];
}

/**
 * A job that it waits for and that is gone cannot be known to have succeeded. Chunks that were
 * cancelled while nobody cancelled the job were so by an earlier look, which wrote to the cells and
 * could not save: that stands, though the other job may have been retried since.
 */
function settleParents({ status, cells, parents }: RollupView): JobStatus {
  if (!status.blockedByDependencies) return status;
  const states = status.dependsOn.map((job) => parents.get(job) ?? 'failed');
  const bad = states.findIndex((state) => state === 'failed' || state === 'cancelled');
  const isKnown =
    !status.cancelled && [...cells.values()].some((cell) => cancelledOtherwise(status, cell) > 0);
  if (isKnown || bad !== -1) {
    const failedDependency = status.dependsOn[bad];
    const which = failedDependency === undefined ? {} : { failedDependency };
    return { ...status, blockedByDependencies: false, dependencyFailed: true, ...which };
  }
  return states.every((state) => state === 'done')
    ? { ...status, blockedByDependencies: false }
    : status;
}

/** Short, because the timeline is the job's own. */
export const eventKinds: Readonly<Record<JobState, string>> = {
  waiting: 'held',
  pending: 'pending',
  scheduled: 'scheduled',
  running: 'started',
  degraded: 'degraded',
  stopped: 'stopped',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};

function eventsOf(before: JobStatus, next: JobStatus, nowMs: number): JobEvent[] {
  if (before.state === next.state) return [];
  const isFirstStart = next.state === 'running' && before.startedAtMs === null;
  // By the clock of the cell, where it says: a job that ends at once must not end before it
  // started.
  const ownAtMs = next.endedAtMs ?? (isFirstStart ? next.startedAtMs : null) ?? nowMs;
  // A user's change may have put an earlier time for the last line than that of the start.
  const afterStartMs = isFinal(next.state) ? (next.startedAtMs ?? 0) + 1 : 0;
  const atMs = Math.max(eventTimeOf(before, ownAtMs), afterStartMs);
  return [{ atMs, kind: eventKinds[next.state], by: 'scheduler', detail: sentenceOf(next) }];
}

const rolloutKinds: Readonly<Record<RolloutState, string>> = {
  done: 'rolled-out',
  moving: 'rolling-out',
  paused: 'rollout-paused',
  'rolled-back': 'rolled-back',
};

function rolloutEventsOf(before: JobStatus, next: JobStatus, nowMs: number): JobEvent[] {
  const was = before.service?.rollout;
  const is = next.service?.rollout;
  if (is === undefined) return [];
  if (was?.state === is.state && was.generation === is.generation) return [];
  const atMs = eventTimeOf(before, nowMs + 1);
  return [{ atMs, kind: rolloutKinds[is.state], by: 'scheduler', detail: sentenceOfRollout(is) }];
}

export function sentenceOfRollout({ state, generation, reason }: RolloutCounts): string {
  if (state === 'done') return `All instances run generation ${generation}.`;
  const why = reason === null ? '' : `: ${reason}`;
  return `Instances are brought to generation ${generation}${why}.`;
}

/**
 * The reason is for programs; who reads the timeline gets it in words, with how far the job came.
 */
export function sentenceOf(status: JobStatus): string {
  const { reason, service, counts, cancelledRanges, failedDependency: parent } = status;
  const { done, dead, cancelled, total } = counts;
  if (service !== undefined && reason === null) {
    return `${service.ready} of ${service.wanted} instances are ready.`;
  }
  const ends = dead === 0 ? '' : `, ${dead} dead`;
  const unwanted = cancelledRanges === undefined ? '' : `, ${cancelled} cancelled`;
  const far = `${done} of ${total} chunks done${ends}${unwanted}.`;
  if (reason === null) return far;
  if (parent !== undefined) return `It waited for ${parent}, which did not end well: ${far}`;
  return `${reasonWords[reason] ?? reason}: ${far}`;
}

const reasonWords: Readonly<Record<string, string>> = {
  cancelled: 'Cancelled',
  deadline: 'Its deadline has passed',
  'chunks-failed': 'Chunks have used up their attempts',
  'max-failed-chunks': 'More chunks failed than it allows',
  'dependency-failed': 'A job that it waited for did not end well',
};
