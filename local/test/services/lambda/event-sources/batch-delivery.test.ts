/** What becomes of a batch: retries, bisecting, partial failures, age and the failure target. */
import { beforeEach, describe, expect, test } from 'vitest';
import type {
  FunctionDefinition,
  InvocationOutcome,
} from '../../../../services/lambda/definition.ts';
import {
  type BatchDelivery,
  batchDelivery,
} from '../../../../services/lambda/event-sources/batch-delivery.ts';
import type { FailedBatch } from '../../../../services/lambda/event-sources/failure-target.ts';
import type { StreamMapping } from '../../../../services/lambda/event-sources/stream/mapping.ts';
import {
  type StreamRecord,
  streamRecord,
} from '../../../../services/lambda/event-sources/stream/record.ts';

let calls: string[][];
let finished: string[];
const nowMs = Date.UTC(2026, 10, 18);

let sent: FailedBatch[];
let pauses: number[];
let answer: (sequences: string[]) => unknown;

beforeEach(() => {
  calls = [];
  finished = [];
  sent = [];
  pauses = [];
  answer = () => ({});
});

function delivery(mapping: Partial<StreamMapping>): BatchDelivery {
  return batchDelivery({
    mapping: { ...defaults, ...mapping },
    shardId: 'shard',
    definition: { arn: 'arn:function' } as FunctionDefinition,
    invoke: async (payload) => {
      const { Records } = JSON.parse(payload.toString());
      const sequences = Records.map((item: Item) => item.dynamodb.SequenceNumber);
      calls.push(sequences);
      return outcomeOf(answer(sequences));
    },
    target: { send: async (_arn, batch) => void sent.push(batch) },
    finished: (records) => void finished.push(...records.map((record) => record.sequence)),
    nowMs: () => nowMs,
    pause: async (ms) => void pauses.push(ms),
    isStopped: () => calls.length > 100,
  });
}

type Item = {
  dynamodb: { SequenceNumber: string };
};

/** An Error is a failed invocation, undefined a throttled one, all else the function's answer. */
function outcomeOf(value: unknown): InvocationOutcome {
  if (value === undefined) return { kind: 'throttled', reason: 'Rate Exceeded.' };
  const payload = Buffer.from(JSON.stringify(value instanceof Error ? {} : value));
  return { kind: value instanceof Error ? 'failed' : 'ok', payload };
}

const defaults: StreamMapping = {
  id: 'mapping',
  uuid: 'mapping-uuid',
  enabled: true,
  functionName: 'function',
  streamArn: 'arn:stream',
  engineStreamArn: 'arn:stream',
  tableName: 'table',
  partitionKey: 'PK',
  shards: 1,
  startingPosition: 'TRIM_HORIZON',
  batchSize: 100,
  batchWindowMs: 0,
  lanes: 1,
  tumblingWindowMs: 0,
  retriesMax: 2,
  recordAgeSecondsMax: -1,
  bisects: false,
  reportsItemFailures: false,
  filters: [],
  failureTargetArn: 'arn:aws:sqs:x:1:failed',
  roleArn: 'arn:role',
  described: {},
};

function records(count: number, ageMs = 0): StreamRecord[] {
  return Array.from({ length: count }, (_, i) => {
    const SequenceNumber = String(i + 1);
    const seconds = (nowMs - ageMs) / 1000;
    const Keys = { PK: { S: `k${i}` } };
    const dynamodb = { SequenceNumber, Keys, ApproximateCreationDateTime: seconds };
    return streamRecord({ dynamodb }, { sequence: SequenceNumber, isDone: false });
  });
}

function failOn(...bad: string[]): (sequences: string[]) => unknown {
  return (sequences) => (bad.some((id) => sequences.includes(id)) ? new Error('no') : {});
}

function reportFirst(...bad: string[]): (sequences: string[]) => unknown {
  return (sequences) => {
    const failed = sequences.filter((id) => bad.includes(id)).slice(0, 1);
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };
}

test('a batch that is handled is handed over once', async () => {
  await delivery({}).deliver(records(3));
  expect(calls).toEqual([['1', '2', '3']]);
  expect(finished).toEqual(['1', '2', '3']);
});

test('a batch that fails is tried again, later and later, then given up whole', async () => {
  answer = failOn('2');
  await delivery({}).deliver(records(3));
  expect(calls).toHaveLength(3);
  expect(pauses).toEqual([100, 200]);
  expect(finished).toEqual(['1', '2', '3']);
  expect(sent).toMatchObject([
    { condition: 'RetryAttemptsExhausted', attempts: 3, firstSequence: '1', lastSequence: '3' },
  ]);
});

test('without a bound on retries nothing is given up', async () => {
  let left = 20;
  answer = () => {
    left -= 1;
    return left > 0 ? new Error('no') : {};
  };
  await delivery({ retriesMax: -1 }).deliver(records(1));
  expect(calls).toHaveLength(20);
  expect(sent).toEqual([]);
});

test('being throttled uses no retry', async () => {
  let left = 9;
  answer = () => {
    left -= 1;
    return left > 0 ? undefined : {};
  };
  await delivery({ retriesMax: 0 }).deliver(records(1));
  expect(finished).toEqual(['1']);
  expect(sent).toEqual([]);
});

describe('bisecting', () => {
  test('finds the one bad record and gives up only that', async () => {
    answer = failOn('3');
    await delivery({ bisects: true, retriesMax: 1 }).deliver(records(8));
    expect(sent).toMatchObject([{ batchSize: 1, firstSequence: '3', attempts: 2 }]);
    expect(finished).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
  });

  test('keeps the order of what is handled', async () => {
    answer = failOn('2', '5');
    await delivery({ bisects: true, retriesMax: 0 }).deliver(records(6));
    const handled = calls.filter((call) => !call.includes('2') && !call.includes('5')).flat();
    expect(handled).toEqual(['1', '3', '4', '6']);
  });
});

describe('partial failures', () => {
  const reports = { reportsItemFailures: true };

  test('begin again at the first failed record', async () => {
    let failures = 1;
    answer = (sequences) => {
      failures -= 1;
      return failures >= 0 ? reportFirst('3')(sequences) : {};
    };
    await delivery(reports).deliver(records(4));
    expect(calls).toEqual([
      ['1', '2', '3', '4'],
      ['3', '4'],
    ]);
    expect(finished).toEqual(['1', '2', '3', '4']);
  });

  test('give up with bisecting only the record that always fails', async () => {
    answer = reportFirst('2');
    await delivery({ ...reports, bisects: true, retriesMax: 1 }).deliver(records(4));
    expect(sent).toMatchObject([{ batchSize: 1, firstSequence: '2' }]);
    expect(finished).toEqual(['1', '2', '3', '4']);
  });

  test.each([
    ['an unknown identifier', { batchItemFailures: [{ itemIdentifier: '99' }] }],
    ['an empty identifier', { batchItemFailures: [{ itemIdentifier: '' }] }],
    ['a missing identifier', { batchItemFailures: [{}] }],
    ['no list', { batchItemFailures: 'x' }],
  ])('with %s fail the whole batch', async (_name, value) => {
    answer = () => value;
    await delivery({ ...reports, retriesMax: 0 }).deliver(records(2));
    expect(sent).toMatchObject([{ batchSize: 2 }]);
  });

  test.each([null, {}, { batchItemFailures: [] }, { batchItemFailures: null }, 'text'])(
    'of %j are none',
    async (value) => {
      answer = () => value;
      await delivery(reports).deliver(records(2));
      expect(calls).toHaveLength(1);
      expect(sent).toEqual([]);
    },
  );

  test('are ignored when the mapping does not ask for them', async () => {
    answer = reportFirst('1');
    await delivery({}).deliver(records(2));
    expect(calls).toHaveLength(1);
  });
});

test('records that are too old are given up unseen', async () => {
  const old = records(1, 120_000);
  await delivery({ recordAgeSecondsMax: 60 }).deliver([...old, ...records(2).slice(1)]);
  expect(calls).toEqual([['2']]);
  expect(sent).toMatchObject([{ condition: 'RecordAgeExceeded', batchSize: 1 }]);
});
