import type { Caller } from '../../../core/model/caller.ts';
import { contactMarkMs, notedEdgesMax } from '../../../core/model/limits.ts';
import type { EdgeName } from '../../../core/model/names.ts';
import type { Inventory } from '../../../core/ports/inventory.ts';
import type { Ports } from '../ports.ts';

/** Contacts that this process has written down, so that most polls cost the table nothing. */
const noted = new WeakMap<Inventory, Map<EdgeName, number>>();

/** That an edge asks for something is a sign of life, written down now and then. */
export async function noteContact(
  caller: Caller,
  nowMs: number,
  { inventory, log }: Pick<Ports, 'inventory' | 'log'>,
): Promise<void> {
  if (caller.kind !== 'edge') return;
  const times = noted.get(inventory) ?? new Map<EdgeName, number>();
  noted.set(inventory, times);
  const { edge, cell } = caller;
  if (nowMs < (times.get(edge) ?? 0) + contactMarkMs) return;
  try {
    await inventory.store(cell, { kind: 'contact', edge, atMs: nowMs, version: null });
    if (times.size >= notedEdgesMax) times.clear();
    times.set(edge, nowMs);
  } catch (error) {
    // It gets its answer all the same; the next poll tries again.
    log.error('a contact of an edge could not be stored', { edge, error });
  }
}
