import { SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { createPassTimers } from '../../../adapters/sqs/pass-timers.ts';
import { cellIdOf } from '../../../core/model/names.ts';
import { answering } from '../answering.ts';

const cell = cellIdOf('default.0');

function stage() {
  const { client, inputs: sent } = answering(new SQSClient({}), {});
  let nowMs = 1_000_000;
  const timers = createPassTimers({
    queueUrl: 'https://queue',
    clock: { nowMs: () => nowMs },
    client,
  });
  const delays = () => sent.map((input) => (input as { DelaySeconds: number }).DelaySeconds);
  return { timers, delays, pass: (ms: number) => (nowMs += ms), now: () => nowMs, sent };
}

test('names the cell and when it is due, and waits in whole seconds, never shorter than asked', async () => {
  const { timers, delays, now, sent } = stage();
  await timers.lookAgain(cell, now() + 2_100);
  expect(delays()).toEqual([3]);
  const MessageBody = JSON.stringify({ cell, dueAtMs: now() + 3_000 });
  expect(sent).toMatchObject([{ QueueUrl: 'https://queue', MessageBody }]);
});

test('what is due already is sent at once, what is far away as far as the queue can', async () => {
  const { timers, delays, now } = stage();
  await timers.lookAgain(cellIdOf('default.1'), now() - 5);
  await timers.lookAgain(cellIdOf('default.2'), now() + 7_200_000);
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
