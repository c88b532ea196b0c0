import type { JobId } from '../../core/model/names.ts';
import type { EdgeMemory, FailedOrDone } from '../disk/replay.ts';
import type { RunningChunk } from './next-steps.ts';

/**
 * What one edge has under way, by job and chunk: started → (being stopped) → ended → (its results
 * are sent). A job without
 * a running chunk is not in it.
 */
export type RunningChunks = {
  readonly byJob: ReadonlyMap<JobId, ReadonlyMap<number, RunningChunk>>;
  started(job: JobId, chunk: number, what: Omit<RunningChunk, 'stopping'>): void;
  /** What it was, or `null` when it was not running. */
  ended(job: JobId, chunk: number): RunningChunk | null;
  /** What it is, or `null` when it is not running or is being stopped already. */
  beginStop(job: JobId, chunk: number): RunningChunk | null;
  /** Whether something of the job runs that is not being stopped. */
  goesOn(job: JobId): boolean;
  count(): number;
  /** Chunks that ended and whose results are on their way, as the journal has them. */
  sending(): EdgeMemory['sending'];
  /** Those of an earlier life. */
  resume(sending: EdgeMemory['sending']): void;
};

export function makeRunningChunks(): RunningChunks {
  const byJob = new Map<JobId, Map<number, RunningChunk>>();
  return {
    byJob,
    started(job, chunk, what) {
      let chunks = byJob.get(job);
      if (chunks === undefined) {
        chunks = new Map();
        byJob.set(job, chunks);
      }
      chunks.set(chunk, { ...what, stopping: false });
    },
    ended(job, chunk) {
      const chunks = byJob.get(job);
      const known = chunks?.get(chunk);
      if (chunks === undefined || known === undefined) return null;
      chunks.delete(chunk);
      if (chunks.size === 0) byJob.delete(job);
      return known;
    },
    beginStop(job, chunk) {
      const chunks = byJob.get(job);
      const known = chunks?.get(chunk);
      if (chunks === undefined || known === undefined || known.stopping) return null;
      chunks.set(chunk, { ...known, stopping: true });
      return known;
    },
    goesOn: (job) => [...(byJob.get(job)?.values() ?? [])].some(({ stopping }) => !stopping),
    count() {
      let total = 0;
      for (const chunks of byJob.values()) total += chunks.size;
      return total;
    },
    resume(sending) {
      for (const [job, chunks] of sending) {
        for (const [chunk, { attempt, failure }] of chunks) {
          const what = { attempt, power: 0, sending: { failure, durationMs: null } };
          this.started(job, chunk, what);
        }
      }
    },
    sending() {
      const jobs = new Map<JobId, Map<number, FailedOrDone>>();
      for (const [job, chunks] of byJob) {
        for (const [chunk, { attempt, sending }] of chunks) {
          if (sending === undefined) continue;
          const known = jobs.get(job) ?? new Map<number, FailedOrDone>();
          jobs.set(job, known.set(chunk, { attempt, failure: sending.failure }));
        }
      }
      return jobs;
    },
  };
}
