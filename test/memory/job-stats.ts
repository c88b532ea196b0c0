import { type JobState, statesBy } from '../../core/model/job.ts';
import { historyMinutes, rateIntervalMs } from '../../core/model/limits.ts';
import type { JobStatistics } from '../../core/ports/job-stats.ts';
import type { Stored } from './stored.ts';

const minuteMs = 60_000;

/** The figures of all jobs, in memory. */
export function createMemoryJobStatistics(stored: Stored): JobStatistics {
  const within = (fromMs: number, toMs: number) => {
    const sum = { chunks: 0, jobs: 0 };
    for (const [interval, { chunks, jobs }] of stored.rates) {
      const atMs = interval * rateIntervalMs;
      if (atMs < fromMs || atMs >= toMs) continue;
      sum.chunks += chunks;
      sum.jobs += jobs;
    }
    return sum;
  };
  return {
    async current(nowMs) {
      const endMs = Math.floor(nowMs / rateIntervalMs) * rateIntervalMs;
      const of = (state: JobState) => stored.counts.get(state) ?? 0;
      return {
        states: statesBy(of),
        total: stored.counts.get('total') ?? 0,
        removedCells: stored.removedCells,
        jobsPerMinute: within(endMs - minuteMs, endMs).jobs,
        chunksPer10Seconds: within(endMs - rateIntervalMs, endMs).chunks,
      };
    },
    async history(nowMs) {
      const firstMs = (Math.floor(nowMs / minuteMs) - historyMinutes + 1) * minuteMs;
      return Array.from({ length: historyMinutes }, (_, at) => {
        const atMs = firstMs + at * minuteMs;
        return { atMs, ...within(atMs, atMs + minuteMs) };
      });
    },
  };
}
