/**
 * The shards of a table's stream. An engine keeps one stream for a table in one shard; DynamoDB has
 * one for each partition of it, and items are divided by their partition key: whatever has the same
 * one stays in order, and nothing is said about the order of two shards. The local cloud divides
 * the engine's shard the same way, into as many as it was started with.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../assembly/assembly.ts';

/** One of the shards that a shard of the engine is divided into. */
export type ShardPart = {
  readonly index: number;
  readonly count: number;
};

export type DividedShard = {
  /** Its name outside; that of the engine's shard when that is not divided. */
  readonly id: string;
  readonly engineId: string;
  readonly part: ShardPart;
};

export function dividedShards(engineId: string, count: number): DividedShard[] {
  return Array.from({ length: count }, (_, index) => {
    const part = { index, count };
    return { id: partId(engineId, part), engineId, part };
  });
}

export function partId(engineId: string, { index, count }: ShardPart): string {
  return count === 1 ? engineId : `${engineId}-${index}of${count}`;
}

export function dividedShardOf(id: string): DividedShard {
  const match = /^(.+)-(\d+)of(\d+)$/.exec(id);
  if (match === null) return { id, engineId: id, part: { index: 0, count: 1 } };
  const [, engineId = '', index, count] = match;
  return { id, engineId, part: { index: Number(index), count: Number(count) } };
}

/** True when this record of the engine's shard is one of the part's. */
export function isInPart(
  record: JsonObject,
  partitionKey: string,
  { index, count }: ShardPart,
): boolean {
  if (count === 1) return true;
  const keys = (record.dynamodb as JsonObject).Keys as JsonObject;
  const text = JSON.stringify(keys[partitionKey] ?? null);
  return createHash('md5').update(text).digest().readUInt32BE(0) % count === index;
}

/** An iterator of the engine that remembers which part it is of, for those who read by calls. */
export function markedIterator(iterator: string, partitionKey: string, part: ShardPart): string {
  return `${part.index}of${part.count}/${encodeURIComponent(partitionKey)}/${iterator}`;
}

export type ReadIterator = {
  readonly iterator: string;
  readonly partitionKey: string;
  readonly part: ShardPart;
};

export function readIterator(marked: string): ReadIterator | undefined {
  const match = /^(\d+)of(\d+)\/([^/]*)\/(.*)$/s.exec(marked);
  if (match === null) return undefined;
  const [, index, count, key = '', iterator = ''] = match;
  return {
    iterator,
    partitionKey: decodeURIComponent(key),
    part: { index: Number(index), count: Number(count) },
  };
}
