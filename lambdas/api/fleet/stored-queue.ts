import { queueDefaults } from '../../../core/model/cell.ts';
import type { StoredQueue } from '../../../core/ports/pools.ts';
import type { Ports } from '../ports.ts';

/** `default` is always there, whether or not anybody stored it. */
export const defaultQueue: StoredQueue = { name: 'default', ...queueDefaults, version: 0 };

export async function findQueue(
  deps: Pick<Ports, 'queues'>,
  name: string,
): Promise<StoredQueue | null> {
  return (await deps.queues.find(name)) ?? (name === 'default' ? defaultQueue : null);
}

export function queueView({ name, weight, strict, quota }: StoredQueue) {
  return { name, weight, strict, quota };
}
