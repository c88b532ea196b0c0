/**
 * Chunks done per minute over the last hour, derived from the jobs themselves: the chunks of a job are spread evenly
 * between its start and its end (or now). The plot is therefore complete the moment the page opens, and needs no
 * history that somebody would have to store.
 */
export type TimedJob = {
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly chunksDone: number;
};

const minuteMs = 60_000;

export function throughput(jobs: readonly TimedJob[], nowMs: number, minutes = 60): number[] {
  const buckets = new Array<number>(minutes).fill(0);
  const fromMs = nowMs - minutes * minuteMs;
  for (const job of jobs) {
    if (job.startedAtMs === null || job.chunksDone === 0) continue;
    const endMs = Math.min(job.endedAtMs ?? nowMs, nowMs);
    const startMs = Math.min(job.startedAtMs, endMs - 1);
    if (endMs <= fromMs) continue;
    const perMs = job.chunksDone / (endMs - startMs);
    const firstBucket = Math.max(0, Math.floor((startMs - fromMs) / minuteMs));
    const lastBucket = Math.min(minutes - 1, Math.floor((endMs - 1 - fromMs) / minuteMs));
    for (let bucket = firstBucket; bucket <= lastBucket; bucket++) {
      const bucketStart = fromMs + bucket * minuteMs;
      const overlap = Math.min(endMs, bucketStart + minuteMs) - Math.max(startMs, bucketStart);
      buckets[bucket] = buckets[bucket]! + perMs * overlap;
    }
  }
  return buckets;
}

/** A round number at or above the largest value: the top of the axis. */
export function axisTop(values: readonly number[]): number {
  const largest = Math.max(0, ...values);
  if (largest <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(largest));
  for (const step of [1, 2, 4, 5, 8, 10]) if (step * power >= largest) return step * power;
  return largest;
}
