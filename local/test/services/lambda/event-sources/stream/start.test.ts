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

function start(startingPosition: 'LATEST' | 'TRIM_HORIZON'): StreamSource {
  const mapping = {
    id: 'mapping',
    engineStreamArn: 'engine',
    tableName: 'table',
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
    return { ShardIterator: ShardIteratorType === 'TRIM_HORIZON' ? '0' : String(stored.length) };
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
