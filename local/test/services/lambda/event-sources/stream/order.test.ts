/**
 * Lanes and checkpoints: the order of each item holds whatever the handlers' speed, and nothing is
 * left out.
 */
import { describe, expect, test } from 'vitest';
import type { StateStore } from '../../../../../engine/state-store.ts';
import {
  checkpointOf,
  type Ticket,
} from '../../../../../services/lambda/event-sources/stream/checkpoint.ts';
import { streamLane } from '../../../../../services/lambda/event-sources/stream/lane.ts';
import {
  type StreamRecord,
  streamRecord,
} from '../../../../../services/lambda/event-sources/stream/record.ts';

function memoryStore(): StateStore {
  const facts = new Map<string, string>();
  return {
    get: (kind, key) => facts.get(`${kind}/${key}`),
    put: (kind, key, value) => void facts.set(`${kind}/${key}`, value),
    remove: (kind, key) => void facts.delete(`${kind}/${key}`),
    list: () => [],
    close: () => undefined,
  };
}

describe('a checkpoint', () => {
  test('stays before the first unfinished record', () => {
    const store = memoryStore();
    const checkpoint = checkpointOf(store, 'shard');
    const tickets = ['1', '2', '3', '4'].map((sequence) => checkpoint.open(sequence));
    const at = (...places: number[]): Ticket[] => places.map((place) => tickets[place]!);
    checkpoint.finish(at(1, 3));
    expect(checkpoint.sequence).toBeUndefined();
    checkpoint.finish(at(0));
    expect(checkpoint.sequence).toBe('2');
    checkpoint.finish(at(2));
    expect(checkpoint.sequence).toBe('4');
    expect(checkpoint.pending).toBe(0);
    expect(checkpointOf(store, 'shard').sequence).toBe('4');
  });

  test('keeps its place over many records', () => {
    const checkpoint = checkpointOf(memoryStore(), 'shard');
    for (let i = 1; i <= 5_000; i += 1) checkpoint.finish([checkpoint.open(String(i))]);
    expect(checkpoint.sequence).toBe('5000');
  });
});

test.each([1, 4, 10])(
  'with %i lanes each item’s records arrive in order, all of them',
  async (lanes) => {
    const seen = new Map<string, number[]>();
    let delivered = 0;
    const total = 2_000;
    let done = (): void => undefined;
    const all = new Promise<void>((resolve) => {
      done = resolve;
    });
    const delivery = {
      deliver: async (batch: readonly StreamRecord[]) => {
        // As long as a handler that is sometimes slow.
        for (let turns = batch.length % 5; turns > 0; turns -= 1) {
          await new Promise((resolve) => setImmediate(resolve));
        }
        for (const record of batch) {
          const { dynamodb } = JSON.parse(record.text);
          const list = seen.get(dynamodb.Keys.PK.S) ?? [];
          seen.set(dynamodb.Keys.PK.S, [...list, Number(record.sequence)]);
          delivered += 1;
        }
        if (delivered === total) done();
      },
    };
    const all10 = Array.from({ length: lanes }, () =>
      streamLane({ batchSize: 7, batchWindowMs: 0, delivery }),
    );
    for (let i = 0; i < total; i += 1) {
      const Keys = { PK: { S: `k${i % 20}` } };
      const dynamodb = { Keys, SequenceNumber: String(i), ApproximateCreationDateTime: 1 };
      const record = streamRecord({ dynamodb }, { sequence: String(i), isDone: false });
      all10[record.keyHash % lanes]!.add(record);
      if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await all;
    expect(seen.size).toBe(20);
    for (const list of seen.values()) {
      expect(list).toHaveLength(total / 20);
      expect(list).toEqual([...list].sort((a, b) => a - b));
    }
  },
);

test('a batch waits for its window unless it is full', async () => {
  const batches: number[] = [];
  let done = (): void => undefined;
  const two = new Promise<void>((resolve) => {
    done = resolve;
  });
  const lane = streamLane({
    batchSize: 3,
    batchWindowMs: 40,
    delivery: {
      deliver: async (batch) => {
        batches.push(batch.length);
        if (batches.length === 2) done();
      },
    },
  });
  for (let i = 0; i < 4; i += 1) {
    const dynamodb = { Keys: {}, SequenceNumber: '1', ApproximateCreationDateTime: 1 };
    lane.add(streamRecord({ dynamodb }, { sequence: String(i), isDone: false }));
  }
  await two;
  expect(batches).toEqual([3, 1]);
  await lane.close();
});
