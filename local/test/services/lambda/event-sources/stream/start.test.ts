/** Where a stream is read from: LATEST is the first start, and nothing after it is left out. */
import { beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../../../engine/clock.ts';
import type { StateStore } from '../../../../../engine/state-store.ts';
import type { DatabaseClient } from '../../../../../services/dynamodb/client.ts';
import type { FunctionDefinition } from '../../../../../services/lambda/definition.ts';
import type { StreamMapping } from '../../../../../services/lambda/event-sources/stream/mapping.ts';
import {
  type StreamSource,
  startStreamSource,
} from '../../../../../services/lambda/event-sources/stream/source.ts';
import { writeSignal } from '../../../../../services/lambda/event-sources/stream/write-signal.ts';
import type { LambdaService } from '../../../../../services/lambda/service.ts';

let facts: Map<string, string>;
let iterators: string[];
let delivered: string[];
let stored: { sequence: string; atMs: number }[];

beforeEach(() => {
  facts = new Map();
  iterators = [];
  delivered = [];
  stored = [];
});

function start(startingPosition: 'LATEST' | 'TRIM_HORIZON', shards = 1): StreamSource {
  const mapping = {
    id: 'mapping',
    engineStreamArn: 'engine',
    tableName: 'table',
    partitionKey: 'PK',
    shards,
    startingPosition,
    batchSize: 10,
    batchWindowMs: 0,
    lanes: 1,
    tumblingWindowMs: 0,
    retriesMax: -1,
    recordAgeSecondsMax: -1,
    filters: [] as StreamMapping['filters'],
  } as StreamMapping;
  const database = { call: async (operation: string, input: object) => answer(operation, input) };
  const lambda = {
    invoke: async (_definition: unknown, payload: Buffer) => {
      const { Records } = JSON.parse(payload.toString());
      for (const { dynamodb } of Records) delivered.push(dynamodb.SequenceNumber);
      return { kind: 'ok', payload: Buffer.from('{}') };
    },
  };
  return startStreamSource({
    mapping,
    definition: { arn: 'arn' } as FunctionDefinition,
    database: database as unknown as DatabaseClient,
    lambda: lambda as unknown as LambdaService,
    store: {
      get: (kind, key) => facts.get(`${kind}/${key}`),
      put: (kind, key, value) => void facts.set(`${kind}/${key}`, value),
      remove: (kind, key) => void facts.delete(`${kind}/${key}`),
      list: (kind) =>
        [...facts]
          .filter(([key]) => key.startsWith(`${kind}/`))
          .map(([key, value]) => ({ key: key.slice(kind.length + 1), value })),
    } as StateStore,
    signal: writeSignal(),
    target: { send: async () => undefined },
    frame: { streamArn: 'arn', region: 'eu-west-1', stampsPrecisely: true },
    clock: systemClock,
    log: () => undefined,
  });
}

function answer(operation: string, input: object): object {
  if (operation === 'Streams.DescribeStream') {
    return { StreamDescription: { Shards: [{ ShardId: 'shard' }] } };
  }
  if (operation === 'Streams.GetShardIterator') {
    const { ShardIteratorType } = input as { ShardIteratorType: string };
    iterators.push(ShardIteratorType);
    const { SequenceNumber } = input as { SequenceNumber?: string };
    const after = stored.findIndex(({ sequence }) => sequence === SequenceNumber) + 1;
    return { ShardIterator: String(ShardIteratorType === 'LATEST' ? stored.length : after) };
  }
  const from = Number((input as { ShardIterator: string }).ShardIterator);
  const Records = stored.slice(from).map(({ sequence, atMs }) => ({
    dynamodb: {
      SequenceNumber: sequence,
      Keys: { PK: { S: sequence } },
      ApproximateCreationDateTime: atMs / 1_000,
    },
  }));
  return { Records, NextShardIterator: String(stored.length) };
}

test('LATEST begins at the first start; what came while nothing ran is read later', async () => {
  stored.push({ sequence: 'old', atMs: Date.now() - 3_600_000 });
  const first = start('LATEST');
  await vi.waitFor(() => expect(iterators).toEqual(['LATEST']));
  await first.close();
  stored.push({ sequence: 'meanwhile', atMs: Date.now() });
  const second = start('LATEST');
  await vi.waitFor(() => expect(delivered).toEqual(['meanwhile']));
  await second.close();
  expect(iterators).toEqual(['LATEST', 'TRIM_HORIZON']);
});

test('TRIM_HORIZON begins with the oldest', async () => {
  stored.push({ sequence: 'old', atMs: Date.now() - 3_600_000 });
  const source = start('TRIM_HORIZON');
  await vi.waitFor(() => expect(delivered).toEqual(['old']));
  await source.close();
  expect(iterators).toEqual(['TRIM_HORIZON']);
});

test('four shards have each record once between them, and each its own checkpoint', async () => {
  stored = Array.from({ length: 40 }, (_, i) => ({ sequence: String(100 + i), atMs: Date.now() }));
  const source = start('TRIM_HORIZON', 4);
  await vi.waitFor(() => expect(delivered).toHaveLength(stored.length));
  await source.close();
  expect([...delivered].sort()).toEqual(stored.map(({ sequence }) => sequence));
  const checkpoints = [...facts.keys()].filter((key) => key.startsWith('checkpoint/'));
  expect(checkpoints.sort()).toEqual(
    [0, 1, 2, 3].map((index) => `checkpoint/mapping/engine/shard-${index}of4`),
  );
});

test.each([
  [1, 4],
  [4, 1],
  [4, 3],
])('read in %i shards and then in %i, a stream loses nothing', async (before, after) => {
  stored = Array.from({ length: 10 }, (_, i) => ({ sequence: String(100 + i), atMs: Date.now() }));
  const first = start('TRIM_HORIZON', before);
  await vi.waitFor(() => expect(delivered).toHaveLength(10));
  await first.close();
  const more = Array.from({ length: 10 }, (_, i) => String(110 + i));
  stored.push(...more.map((sequence) => ({ sequence, atMs: Date.now() })));
  delivered = [];
  const second = start('TRIM_HORIZON', after);
  await vi.waitFor(() => expect(delivered).toEqual(expect.arrayContaining(more)));
  await second.close();
  // What all shards had handled does not come again: only the slowest goes back.
  expect(delivered).not.toContain('100');
});
