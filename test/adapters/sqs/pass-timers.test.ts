import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, test } from 'vitest';
import { createPassTimers } from '../../../adapters/sqs/pass-timers.ts';
import type { CellId } from '../../../core/names.ts';

const cell = 'default.0' as CellId;

function stage() {
  const client = new SQSClient({ region: 'us-east-1' });
  const mock = mockClient(client as never);
  mock.resolves({});
  let nowMs = 1_000_000;
  const timers = createPassTimers({
    queueUrl: 'https://queue',
    clock: { nowMs: () => nowMs },
    client,
  });
  const delays = () =>
    mock
      .commandCalls(SendMessageCommand as never)
      .map((call) => (call.args[0].input as { DelaySeconds: number }).DelaySeconds);
  return { timers, delays, pass: (ms: number) => (nowMs += ms), now: () => nowMs, mock };
}

test('names the cell and waits in whole seconds, never shorter than asked', async () => {
  const { timers, delays, now, mock } = stage();
  await timers.lookAgain(cell, now() + 2_100);
  expect(delays()).toEqual([3]);
  const input = mock.commandCalls(SendMessageCommand as never)[0]?.args[0].input;
  expect(input).toMatchObject({ MessageBody: '{"cell":"default.0"}' });
});

test('what is due already is sent at once, what is far away as far as the queue can', async () => {
  const { timers, delays, now } = stage();
  await timers.lookAgain('default.1' as CellId, now() - 5);
  await timers.lookAgain('default.2' as CellId, now() + 7_200_000);
  expect(delays()).toEqual([0, 900]);
});

test('passes that ask again and again send one message', async () => {
  const { timers, delays, pass, now } = stage();
  const dueAtMs = now() + 10_000;
  for (let times = 0; times < 5; times++) {
    await timers.lookAgain(cell, dueAtMs);
    pass(100);
  }
  expect(delays()).toEqual([10]);
});

test('an earlier look is asked for all the same, and another when the first is over', async () => {
  const { timers, delays, pass, now } = stage();
  await timers.lookAgain(cell, now() + 30_000);
  await timers.lookAgain(cell, now() + 5_000);
  pass(6_000);
  await timers.lookAgain(cell, now() + 10_000);
  expect(delays()).toEqual([30, 5, 10]);
});
