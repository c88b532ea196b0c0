import type { JobId } from '../../core/model/names.ts';
import { fromChunks } from '../../core/model/ranges.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import type { Failure } from '../../core/protocol/progress-report.ts';
import { doneRecords, type JournalRecord } from '../disk/journal-record.ts';
import { type KeptText, keptErrorsOf, keptTextOf } from '../disk/kept-text.ts';
import { type ChunkName, type EndedChunk, wantsOutput } from '../executors/executor.ts';
import type { SendOutcome } from '../results/result-sender.ts';
import { emptyLedger, type JobLedger, withDone, withResult } from './ledger.ts';
import type { RunningChunk } from './next-steps.ts';
import type { RunningChunks } from './running-chunks.ts';

/**
 * Chunks that ended in one turn of the loop, sorted by job and attempt: those that are done are
 * written down and remembered as ranges, so that many cost little more than one.
 */
export type EndBatch = {
  add(end: CountedEnd): void;
  /** What the journal has to hold before anything is made of it. */
  records(edge: string): JournalRecord[];
  addTo(ledgers: Map<JobId, JobLedger>): void;
};

export type CountedEnd = {
  readonly job: JobId;
  readonly chunk: number;
  readonly attempt: number;
  /** `null`: done. */
  readonly failure: Failure | null;
  readonly durationMs: number | null;
};

type Done = { readonly chunks: number[]; durationsMs: number; durations: number };

export function makeEndBatch(): EndBatch {
  const done = new Map<JobId, Map<number, Done>>();
  const failed: CountedEnd[] = [];

  const addDone = ({ job, chunk, attempt, durationMs }: CountedEnd): void => {
    let attempts = done.get(job);
    if (attempts === undefined) {
      attempts = new Map();
      done.set(job, attempts);
    }
    let some = attempts.get(attempt);
    if (some === undefined) {
      some = { chunks: [], durationsMs: 0, durations: 0 };
      attempts.set(attempt, some);
    }
    some.chunks.push(chunk);
    if (durationMs === null) return;
    some.durationsMs += durationMs;
    some.durations += 1;
  };

  return {
    add(end) {
      if (end.failure === null) addDone(end);
      else failed.push(end);
    },
    records(edge) {
      const records: JournalRecord[] = [];
      for (const [job, attempts] of done) {
        for (const [attempt, { chunks }] of attempts) {
          records.push(...doneRecords(edge, job, attempt, fromChunks(chunks)));
        }
      }
      for (const { job, chunk, attempt, failure } of failed) {
        records.push({ k: 'end', e: edge, j: job, c: chunk, t: attempt, x: failure });
      }
      return records;
    },
    addTo(ledgers) {
      for (const [job, attempts] of done) {
        let ledger = ledgers.get(job) ?? emptyLedger;
        for (const [attempt, { chunks, durationsMs, durations }] of attempts) {
          const meanMs = durations === 0 ? null : durationsMs / durations;
          ledger = withDone(ledger, { chunks: fromChunks(chunks), attempt, meanMs });
        }
        ledgers.set(job, ledger);
      }
      for (const end of failed) {
        ledgers.set(end.job, withResult(ledgers.get(end.job) ?? emptyLedger, end));
      }
    },
  };
}

/** What becomes of chunks that ended: counted, or counted when their results are safe. */
export type TakenEnds = {
  readonly jobs: ReadonlySet<JobId>;
  readonly batch: EndBatch;
  readonly sending: readonly JournalRecord[];
  readonly withOutput: readonly EndedChunk[];
};

export function takeEnds(
  edge: string,
  chunks: readonly EndedChunk[],
  running: RunningChunks,
): TakenEnds {
  const jobs = new Set<JobId>();
  const batch = makeEndBatch();
  const sending: JournalRecord[] = [];
  const withOutput: EndedChunk[] = [];
  for (const one of chunks) {
    const { end, durationMs, output, errors } = one;
    const { job, chunk, attempt } = one.name;
    const known = running.ended(job, chunk);
    if (known === null) continue;
    jobs.add(job);
    if (known.sending !== undefined) {
      // An end that the last life took in, and did not say so.
      running.started(job, chunk, known);
      continue;
    }
    // What is being stopped is not reported, unless it was done before that.
    if (end.kind === 'stopped' || (end.kind === 'failed' && known.stopping)) continue;
    const failure = end.kind === 'failed' ? end.failure : endedWell(known.isInstance);
    if (!hasResults(known, failure)) batch.add({ job, chunk, attempt, failure, durationMs });
    // Nor with results: they would come too late.
    else if (known.stopping) continue;
    else {
      sending.push({ k: 'sending', e: edge, j: job, c: chunk, t: attempt, x: failure });
      running.started(job, chunk, { ...known, power: 0, sending: { failure, durationMs } });
    }
    if ((output ?? errors?.output ?? null) !== null) withOutput.push(one);
  }
  return { jobs, batch, sending, withOutput };
}

/** An instance that ended well has ended all the same. */
function endedWell(isInstance: boolean | undefined): Failure | null {
  return isInstance === true ? 0 : null;
}

/** Whether an end counts only when the results are safe. */
export function hasResults({ results }: RunningChunk, failure: Failure | null): boolean {
  return results === 'always' || (results === 'done' && failure === null);
}

/** What they came to; `null` when the chunk runs again, or nobody waits for it any more. */
export function takeSent(
  { job, chunk, attempt }: ChunkName,
  outcome: SendOutcome,
  running: RunningChunks,
  isInstance: boolean,
): EndBatch | null {
  const { sending } = running.ended(job, chunk) ?? {};
  if (sending === undefined || outcome === 'gone') return null;
  const batch = makeEndBatch();
  const { durationMs } = sending;
  const fault = outcome === 'safe' ? endedWell(isInstance) : outcome.failure;
  batch.add({ job, chunk, attempt, failure: sending.failure ?? fault, durationMs });
  return batch;
}

/** What chunks printed, of jobs that want it. */
export function keepOutputs(
  ended: readonly EndedChunk[],
  specOf: (job: JobId, chunk: number) => AgentSpec | null,
  keep: (name: ChunkName, kept: KeptText) => void,
): void {
  for (const { name, end, errors, ...printed } of ended) {
    const spec = specOf(name.job, name.chunk);
    if (spec === null || !wantsOutput({ spec }, end)) continue;
    const texts = [keptTextOf(printed)];
    if (errors !== undefined) texts.push(keptErrorsOf(errors));
    // Where there are two of them an empty one says that nothing else will come.
    for (const kept of texts) {
      if (kept === null || (kept.bytes.length === 0 && errors === undefined)) continue;
      keep(name, spec.outputMb === undefined ? kept : { ...kept, wholeMb: spec.outputMb });
    }
  }
}
