import type { Job, Queue } from '../../../core/contract/resources.ts';
import { depthByQueue, natural } from '../fleet-summary.ts';

/** Queues beside what waits in them. Pure. */
export type QueueRow = {
  readonly queue: Queue;
  /** Its part of the power while all of them have work, in percent. */
  readonly share: number;
  readonly jobs: number;
  readonly chunks: number;
};

/** A queue that nobody has set is as the API sets it; what waits in one makes it a row. */
const plain = { weight: 1, strict: false, quota: null };

export function queueRows(queues: readonly Queue[], jobs: readonly Job[]): readonly QueueRow[] {
  const all = new Map(queues.map((queue) => [queue.name, queue]));
  const depths = new Map(depthByQueue(jobs).map((depth) => [depth.queue, depth]));
  for (const name of depths.keys()) if (!all.has(name)) all.set(name, { name, ...plain });
  const weights = [...all.values()].reduce((sum, { weight }) => sum + weight, 0);
  return [...all.values()]
    .map((queue) => {
      const { jobs: count = 0, chunks = 0 } = depths.get(queue.name) ?? {};
      const share = Math.round((100 * queue.weight) / weights);
      return { queue, share, jobs: count, chunks };
    })
    .sort((a, b) => natural(a.queue.name, b.queue.name));
}
