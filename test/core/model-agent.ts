import type { JobId } from '../../core/model/names.ts';
import {
  chunksOf,
  emptyRanges,
  fromChunks,
  has,
  type RangeSet,
  rangeOf,
  subtract,
  union,
} from '../../core/model/ranges.ts';
import type { Failure, JobProgress, ProgressReport } from '../../core/protocol/progress-report.ts';
import { noWork, type Work, type WorkEntry } from '../../core/protocol/work.ts';

/**
 * The smallest edge that keeps the protocol of the two shadows: it applies documents, runs chunks,
 * keeps results until they are acknowledged and says everything it knows in each report. Tests
 * decide when it does what.
 */
type Result = { failure: Failure | null; attempt: number; firstSequence: number | null };
type JobState = { running: Map<number, number>; results: Map<number, Result> };

export type ModelAgent = {
  work: Work;
  sequence: number;
  readonly jobs: Map<JobId, JobState>;
  /** Chunks this edge ever ran to their end, for counting work done twice. */
  executed: number;
};

export function newAgent(): ModelAgent {
  return { work: noWork, sequence: 0, jobs: new Map(), executed: 0 };
}

export function applyWork(agent: ModelAgent, work: Work): void {
  if (work.epoch < agent.work.epoch) return;
  agent.work = work;
  for (const [id, state] of agent.jobs) {
    const entry = work.jobs.get(id);
    const owned = entry?.ranges ?? emptyRanges;
    for (const chunk of [...state.running.keys()]) {
      if (!has(owned, chunk)) state.running.delete(chunk);
    }
    for (const [chunk, result] of [...state.results]) {
      if (has(owned, chunk)) {
        const attempt = attemptOf(entry!, chunk);
        if (result.failure !== null && result.attempt < attempt) state.results.delete(chunk);
      } else if (
        work.acknowledgedSequence === null ||
        (result.firstSequence !== null && work.acknowledgedSequence >= result.firstSequence)
      ) {
        state.results.delete(chunk);
      }
    }
    if (state.running.size === 0 && state.results.size === 0) agent.jobs.delete(id);
  }
}

function attemptOf(entry: WorkEntry, chunk: number): number {
  for (const [attempt, set] of entry.attempts) if (has(set, chunk)) return attempt;
  return 1;
}

function stateOf(agent: ModelAgent, id: JobId): JobState {
  let state = agent.jobs.get(id);
  if (state === undefined) {
    state = { running: new Map(), results: new Map() };
    agent.jobs.set(id, state);
  }
  return state;
}

/** Starts whatever the document allows. */
export function startChunks(agent: ModelAgent): void {
  for (const [id, entry] of agent.work.jobs) {
    const state = stateOf(agent, id);
    for (const chunk of chunksOf(subtract(entry.ranges, entry.release))) {
      if (state.running.size >= entry.slots) break;
      if (state.running.has(chunk) || state.results.has(chunk)) continue;
      state.running.set(chunk, attemptOf(entry, chunk));
    }
  }
}

/** Ends up to `most` running chunks, each as `outcome` says. */
export function finishChunks(
  agent: ModelAgent,
  most: number,
  outcome: (job: string, chunk: number, attempt: number) => Failure | null,
): number {
  let ended = 0;
  for (const [id, state] of agent.jobs) {
    for (const [chunk, attempt] of [...state.running]) {
      if (ended >= most) return ended;
      state.running.delete(chunk);
      const failure = outcome(id, chunk, attempt);
      state.results.set(chunk, { failure, attempt, firstSequence: null });
      agent.executed++;
      ended++;
    }
  }
  return ended;
}

/** Everything the edge knows, as a new report. */
export function report(agent: ModelAgent): ProgressReport {
  agent.sequence++;
  const jobs = new Map<JobId, JobProgress>();
  for (const [id, state] of agent.jobs) {
    const done: number[] = [];
    const failed = new Map<number, Failure>();
    const attempts = new Map<number, RangeSet>();
    const say = (chunk: number, attempt: number) => {
      if (attempt < 2) return;
      attempts.set(attempt, union(attempts.get(attempt) ?? emptyRanges, rangeOf(chunk, chunk + 1)));
    };
    for (const [chunk, result] of state.results) {
      result.firstSequence ??= agent.sequence;
      if (result.failure === null) done.push(chunk);
      else failed.set(chunk, result.failure);
      say(chunk, result.attempt);
    }
    for (const [chunk, attempt] of state.running) say(chunk, attempt);
    jobs.set(id, {
      done: fromChunks(done),
      failed,
      running: fromChunks(state.running.keys()),
      attempts,
      chunkMs: null,
      refused: null,
    });
  }
  return { boot: 'boot', epoch: agent.work.epoch, sequence: agent.sequence, freePower: 0, jobs };
}

/** A new process on a wiped disk. */
export function wipe(agent: ModelAgent): void {
  agent.work = noWork;
  agent.jobs.clear();
  agent.sequence = 0;
}
