import type { Edge, Job } from '../../core/contract/resources.ts';
import {
  type ShortStatus,
  shortStatuses,
  shortStatusOf,
} from '../../core/contract/short-status.ts';
import { edgePower } from './edge-power.ts';

/**
 * What the fleet page says about many edges and jobs at once. Pure folds over what the API listed.
 */
export type PoolPower = {
  readonly pool: string;
  readonly edges: number;
  readonly used: number;
  readonly total: number;
};

export function countStatuses(edges: readonly Edge[]): Readonly<Record<ShortStatus, number>> {
  const counts = Object.fromEntries(shortStatuses.map((status) => [status, 0])) as Record<
    ShortStatus,
    number
  >;
  for (const edge of edges) counts[shortStatusOf(edge)]++;
  return counts;
}

/**
 * Power by pool; edges that cannot take work (late, lost) hold no free power worth counting, but
 * what they use counts.
 */
export function powerByPool(edges: readonly Edge[]): PoolPower[] {
  const pools = new Map<string, PoolPower>();
  for (const edge of edges) {
    const before = pools.get(edge.pool) ?? { pool: edge.pool, edges: 0, used: 0, total: 0 };
    const { used, total } = edgePower(edge);
    pools.set(edge.pool, {
      pool: edge.pool,
      edges: before.edges + 1,
      used: before.used + used,
      total: before.total + total,
    });
  }
  return [...pools.values()].sort((a, b) => natural(a.pool, b.pool));
}

export type QueueDepth = { readonly queue: string; readonly jobs: number; readonly chunks: number };

/** Chunks that wait for an edge, by queue. */
export function depthByQueue(jobs: readonly Job[]): QueueDepth[] {
  const queues = new Map<string, QueueDepth>();
  for (const job of jobs) {
    const { pending, waiting } = job.status.chunks;
    if (pending + waiting === 0) continue;
    const { queue } = job.spec;
    const before = queues.get(queue) ?? { queue, jobs: 0, chunks: 0 };
    queues.set(queue, {
      queue,
      jobs: before.jobs + 1,
      chunks: before.chunks + pending + waiting,
    });
  }
  return [...queues.values()].sort((a, b) => b.chunks - a.chunks);
}

const unsaid = 'failed after the last attempt';

export type FailureReason = {
  readonly reason: string;
  readonly jobs: number;
  readonly chunks: number;
  /** The newest job that failed so: where to look. */
  readonly example: string;
};

export function hasFailures(job: Job): boolean {
  return job.status.chunks.dead > 0 || job.status.state === 'failed';
}

/**
 * Why jobs lost chunks, most chunks first. What the chunks themselves said (by job) is better than
 * the job's own word. Lists are newest first, so the first job of a reason is its example.
 */
export function failureReasons(
  jobs: readonly Job[],
  saidByChunks: ReadonlyMap<string, readonly string[]>,
): FailureReason[] {
  const reasons = new Map<string, FailureReason>();
  for (const job of jobs.filter(hasFailures)) {
    const said = saidByChunks.get(job.id) ?? [];
    const counts = new Map<string, number>();
    for (const reason of said) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    if (said.length === 0) counts.set(job.status.reason ?? unsaid, job.status.chunks.dead);
    for (const [reason, chunks] of counts) {
      const before = reasons.get(reason) ?? { reason, jobs: 0, chunks: 0, example: job.id };
      reasons.set(reason, { ...before, jobs: before.jobs + 1, chunks: before.chunks + chunks });
    }
  }
  return [...reasons.values()].sort((a, b) => b.chunks - a.chunks);
}

/** `edge-2` before `edge-10`, as people count. */
export const natural = new Intl.Collator('en', { numeric: true }).compare;
