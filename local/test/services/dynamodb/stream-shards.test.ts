/** Names of divided shards, and which records are in them. */
import { expect, test } from 'vitest';
import {
  dividedShardOf,
  dividedShards,
  isInPart,
  markedIterator,
  readIterator,
} from '../../../services/dynamodb/stream-shards.ts';

const record = (pk: string, sk: string) => ({
  dynamodb: { Keys: { PK: { S: pk }, SK: { S: sk } } },
});

test('one shard keeps the name that the engine gave it, and has everything', () => {
  const [only] = dividedShards('shardId-1', 1);
  expect(only).toMatchObject({ id: 'shardId-1', engineId: 'shardId-1' });
  expect(isInPart(record('a', '1'), 'PK', only!.part)).toBe(true);
});

test('a name says which part it is of which shard', () => {
  for (const shard of dividedShards('shardId-0000001-ab', 4)) {
    expect(dividedShardOf(shard.id)).toEqual(shard);
    expect(shard.id).toMatch(/^[a-zA-Z0-9-]{1,65}$/);
  }
});

test('each item is in one shard, all items of a partition in the same, no shard is empty', () => {
  const parts = dividedShards('shard', 4).map(({ part }) => part);
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < 400; i += 1) {
    const partition = `JOB#${i}`;
    const homes = ['1', '2', '3'].map((sort) =>
      parts.filter((part) => isInPart(record(partition, sort), 'PK', part)),
    );
    expect(homes.every((home) => home.length === 1 && home[0] === homes[0]![0])).toBe(true);
    counts[homes[0]![0]!.index]! += 1;
  }
  for (const count of counts) expect(count).toBeGreaterThan(50);
});

test('an iterator remembers the part and the key, whatever the engine wrote into it', () => {
  const part = { index: 2, count: 4 };
  const marked = markedIterator('a/b|c=1of2/', 'the key/ü', part);
  expect(readIterator(marked)).toEqual({
    iterator: 'a/b|c=1of2/',
    partitionKey: 'the key/ü',
    part,
  });
  expect(readIterator('arn:aws:dynamodb|opaque')).toBeUndefined();
});
