import type { JobId } from '../../core/model/names.ts';
import type { RunningChunk } from './next-steps.ts';

/**
 * What one edge has under way, by job and chunk: started → (told to stop) → ended. A job without
 * a running chunk is not in it.
 */
export type RunningChunks = {
  readonly byJob: ReadonlyMap<JobId, ReadonlyMap<number, RunningChunk>>;
  started(job: JobId, chunk: number, what: Omit<RunningChunk, 'stopping'>): void;
  /** What it was, or `null` when it was not running. */
  ended(job: JobId, chunk: number): RunningChunk | null;
  /** What it is, or `null` when it is not running or was told to stop before. */
  toldToStop(job: JobId, chunk: number): RunningChunk | null;
  count(): number;
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
    toldToStop(job, chunk) {
      const chunks = byJob.get(job);
      const known = chunks?.get(chunk);
      if (chunks === undefined || known === undefined || known.stopping) return null;
      chunks.set(chunk, { ...known, stopping: true });
      return known;
    },
    count() {
      let total = 0;
      for (const chunks of byJob.values()) total += chunks.size;
      return total;
    },
  };
}
