import { queueDefaults } from '../../model/cell.ts';
import { type Amounts, reservedBy } from './capacity.ts';
import { isActive, type Pass, type QueueDraft } from './draft.ts';

/** What each queue holds of the cell, which says who is next and who yields. */

/** What every queue holds now; made once, then kept up by grants. */
export function openQueues(pass: Pass): ReadonlyMap<string, QueueDraft> {
  if (pass.queues !== null) return pass.queues;
  const queues = new Map<string, QueueDraft>();
  for (const job of pass.jobs.values()) {
    const name = job.intent.spec.queue;
    let queue = queues.get(name);
    if (queue === undefined) {
      const config = pass.cell.queues.get(name) ?? queueDefaults;
      queue = { name, config, held: { power: 0, others: new Map() }, blocked: false };
      queues.set(name, queue);
    }
    for (const lease of job.leases) if (isActive(lease)) reservedBy(lease, queue.held, 1);
  }
  for (const edge of pass.edges.values()) {
    for (const { job, lease, demand } of edge.suspended.values()) {
      const queue = queues.get(job.intent.spec.queue);
      if (queue !== undefined) reservedBy({ ...lease, job: { demand } }, queue.held, 1);
    }
  }
  pass.queues = queues;
  return queues;
}

export function totalOf(pass: Pass): Amounts {
  if (pass.total !== null) return pass.total;
  const total: Amounts = { power: 0, others: new Map() };
  for (const edge of pass.edges.values()) {
    total.power += edge.capacity.power;
    for (const [name, amount] of edge.capacity.others) {
      total.others.set(name, (total.others.get(name) ?? 0) + amount);
    }
  }
  pass.total = total;
  return total;
}

/** The largest part of any one resource of the cell that the queue holds, for its weight. */
export function dominantShare(queue: QueueDraft, total: Amounts): number {
  let share = total.power > 0 ? queue.held.power / total.power : 0;
  for (const [name, held] of queue.held.others) {
    const all = total.others.get(name) ?? 0;
    if (all > 0) share = Math.max(share, held / all);
  }
  return share / Math.max(queue.config.weight, Number.MIN_VALUE);
}
