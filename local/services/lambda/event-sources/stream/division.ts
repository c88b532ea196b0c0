/**
 * A stream that is read in another number of shards than before: each of the new ones begins where
 * the slowest of the old ones was, so that nothing is left out and some records come again. Windows
 * that were open are forgotten with the shards they belonged to.
 */
import type { StateStore } from '../../../../engine/state-store.ts';
import { dividedShardOf, dividedShards } from '../../../dynamodb/stream-shards.ts';

/** `reader`: the mapping and its stream, as its checkpoints are kept. */
export function divideAnew(store: StateStore, reader: string, count: number): void {
  const before = Number(store.get('stream-shards', reader) ?? 1);
  if (before === count) return;
  for (const [engineId, sequences] of checkpointsOf(store, reader)) {
    for (const { id } of dividedShards(engineId, before)) {
      store.remove('checkpoint', `${reader}/${id}`);
    }
    const slowest = sequences.length < before ? undefined : sequences.sort(bySequence)[0];
    if (slowest === undefined) continue;
    for (const { id } of dividedShards(engineId, count)) {
      store.put('checkpoint', `${reader}/${id}`, slowest);
    }
  }
}

function checkpointsOf(store: StateStore, reader: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { key, value } of store.list('checkpoint')) {
    if (!key.startsWith(`${reader}/`)) continue;
    const { engineId } = dividedShardOf(key.slice(reader.length + 1));
    found.set(engineId, [...(found.get(engineId) ?? []), value]);
  }
  return found;
}

/** Numbers of records are longer than what a double holds. */
function bySequence(one: string, other: string): number {
  const difference = BigInt(one) - BigInt(other);
  return difference < 0n ? -1 : Number(difference > 0n);
}
