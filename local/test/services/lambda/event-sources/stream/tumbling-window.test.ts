/** Windows of a stream: the state goes along, and each window ends once. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { StateStore } from '../../../../../engine/state-store.ts';
import { windowGraceMs } from '../../../../../limits.ts';
import type {
  FunctionDefinition,
  InvocationOutcome,
} from '../../../../../services/lambda/definition.ts';
import {
  type BatchDelivery,
  batchDelivery,
} from '../../../../../services/lambda/event-sources/batch-delivery.ts';
import type { StreamMapping } from '../../../../../services/lambda/event-sources/stream/mapping.ts';
import {
  type StreamRecord,
  streamRecord,
} from '../../../../../services/lambda/event-sources/stream/record.ts';
import {
  type WindowedDelivery,
  windowedDelivery,
} from '../../../../../services/lambda/event-sources/stream/tumbling-window.ts';
import { type ManualClock, manualClock } from '../../../../manual-clock.ts';

type WindowEvent = {
  Records: { dynamodb: { SequenceNumber: string } }[];
  window: { start: string; end: string };
  state: Record<string, unknown>;
  shardId: string;
  eventSourceARN: string;
  isFinalInvokeForWindow: boolean;
  isWindowTerminatedEarly: boolean;
};

const minuteMs = 60_000;
const startMs = Date.UTC(2026, 10, 18, 12);

let events: WindowEvent[];
let finished: string[];
let facts: Map<string, string>;
let clock: ManualClock;
let answer: (event: WindowEvent) => unknown;

beforeEach(() => {
  events = [];
  finished = [];
  facts = new Map();
  clock = manualClock(startMs);
  answer = (event) => ({ state: { n: Number(event.state['n'] ?? 0) + event.Records.length } });
});

function windows(retriesMax = -1): WindowedDelivery {
  const mapping = {
    id: 'mapping',
    engineStreamArn: 'engine',
    streamArn: 'arn:stream',
    tumblingWindowMs: minuteMs,
    retriesMax,
    recordAgeSecondsMax: -1,
  } as StreamMapping;
  const store = {
    get: (kind: string, key: string) => facts.get(`${kind}/${key}`),
    put: (kind: string, key: string, value: string) => void facts.set(`${kind}/${key}`, value),
    remove: (kind: string, key: string) => void facts.delete(`${kind}/${key}`),
  } as StateStore;
  const pause = async (): Promise<void> => undefined;
  const isStopped = (): boolean => events.length > 50;
  const invoke = async (payload: Buffer): Promise<InvocationOutcome> => {
    const event = JSON.parse(payload.toString()) as WindowEvent;
    events.push(event);
    const value = answer(event);
    const text = Buffer.from(JSON.stringify(value instanceof Error ? {} : value));
    return { kind: value instanceof Error ? 'failed' : 'ok', payload: text };
  };
  const delivery = (through: typeof invoke): BatchDelivery =>
    batchDelivery({
      mapping,
      shardId: 'shard',
      definition: { arn: 'arn:function' } as FunctionDefinition,
      invoke: through,
      target: { send: async () => undefined },
      finished: (records) => void finished.push(...records.map((record) => record.sequence)),
      nowMs: clock.nowMs,
      pause,
      isStopped,
    });
  const shared = { mapping, shardId: 'shard', store, clock, pause, isStopped };
  return windowedDelivery({ ...shared, invoke, delivery });
}

function record(sequence: string, atMs: number): StreamRecord {
  const dynamodb = {
    SequenceNumber: sequence,
    Keys: { PK: { S: sequence } },
    ApproximateCreationDateTime: atMs / 1000,
  };
  return streamRecord({ dynamodb }, { sequence, isDone: false });
}

test('the state goes along, and a window ends when the next one begins', async () => {
  const delivery = windows();
  await delivery.deliver([record('1', startMs), record('2', startMs + 1)]);
  await delivery.deliver([record('3', startMs + 2), record('4', startMs + minuteMs)]);
  delivery.close();
  const seen = events.map((event) => [
    event.Records.map(({ dynamodb }) => dynamodb.SequenceNumber).join(),
    event.state,
    event.isFinalInvokeForWindow,
  ]);
  expect(seen).toEqual([
    ['1,2', {}, false],
    ['3', { n: 2 }, false],
    ['', { n: 3 }, true],
    ['4', {}, false],
  ]);
  const iso = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  expect(events[0]).toMatchObject({
    window: { start: iso(startMs), end: iso(startMs + minuteMs) },
    shardId: 'shard',
    eventSourceARN: 'arn:stream',
    isWindowTerminatedEarly: false,
  });
  expect(finished).toEqual(['1', '2', '3', '4']);
});

test('a response without a state is a failed invocation', async () => {
  let left = 2;
  answer = () => {
    left -= 1;
    return left >= 0 ? {} : { state: {} };
  };
  const delivery = windows();
  await delivery.deliver([record('1', startMs)]);
  delivery.close();
  expect(events).toHaveLength(3);
  expect(finished).toEqual(['1']);
});

test('a state above 1 MB ends the window early', async () => {
  answer = (event) => ({ state: event.isFinalInvokeForWindow ? {} : { x: 'x'.repeat(1_100_000) } });
  const delivery = windows();
  await delivery.deliver([record('1', startMs)]);
  await delivery.deliver([record('2', startMs + 1)]);
  delivery.close();
  const flags = events.map((event) => [
    event.isFinalInvokeForWindow,
    event.isWindowTerminatedEarly,
  ]);
  expect(flags.slice(0, 2)).toEqual([
    [false, false],
    [true, true],
  ]);
  expect(events[2]?.state).toEqual({});
});

describe('the end of a window', () => {
  test('is tried again until it succeeds', async () => {
    let failures = 3;
    answer = (event) => {
      if (!event.isFinalInvokeForWindow) return { state: {} };
      failures -= 1;
      return failures > 0 ? new Error('no') : {};
    };
    const delivery = windows();
    await delivery.deliver([record('1', startMs)]);
    await delivery.deliver([record('2', startMs + minuteMs)]);
    delivery.close();
    expect(events.filter((event) => event.isFinalInvokeForWindow)).toHaveLength(3);
    expect(finished).toEqual(['1', '2']);
  });

  test('comes by the clock, shortly after the last second of the window', async () => {
    const delivery = windows();
    await delivery.deliver([record('1', startMs)]);
    clock.pass(minuteMs + windowGraceMs - 1);
    await delivery.deliver([record('2', startMs + 1)]);
    expect(events.map((event) => event.isFinalInvokeForWindow)).toEqual([false, false]);
    clock.pass(1);
    await vi.waitFor(() => expect(facts.size).toBe(0));
    delivery.close();
    expect(events.at(-1)).toMatchObject({ isFinalInvokeForWindow: true, state: { n: 2 } });
  });

  test('comes at once for a window that an earlier local cloud left open', async () => {
    const first = windows();
    await first.deliver([record('1', startMs)]);
    first.close();
    clock.pass(48 * 60 * minuteMs);
    expect(events).toHaveLength(1);
    const second = windows();
    clock.pass(0);
    await vi.waitFor(() => expect(facts.size).toBe(0));
    second.close();
    expect(events.at(-1)).toMatchObject({ isFinalInvokeForWindow: true, state: { n: 1 } });
  });
});
