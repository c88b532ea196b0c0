import { beforeEach, expect, test } from 'vitest';
import { factsAgainMs, idleReportEveryMs, journalRetryMs } from '../../../edge-agent/limits.ts';
import { type FactsTelling, makeFactsTelling } from '../../../edge-agent/report/facts-telling.ts';
import { type HandClock, makeHandClock } from '../hand-clock.ts';

type Facts = { readonly health: string };

const well: Facts = { health: 'ok' };
const full: Facts = { health: 'disk-full' };

let clock: HandClock;
let telling: FactsTelling<Facts>;
let sent: { readonly facts: Facts; readonly afterMs: number }[];
let isTaken: boolean;

beforeEach(() => {
  clock = makeHandClock(0);
  sent = [];
  isTaken = true;
  telling = makeFactsTelling(clock, async (facts) => {
    sent.push({ facts, afterMs: clock.monotonicMs() });
    return isTaken;
  });
});

/** As the agent looks at its facts: every few seconds. */
async function lookFor(ms: number, facts: Facts): Promise<void> {
  const untilMs = clock.monotonicMs() + ms;
  while (clock.monotonicMs() < untilMs) {
    await telling.tell(facts);
    clock.after(journalRetryMs, () => {});
    await clock.wind();
  }
}

test('facts are sent once when they changed, and again until they are taken', async () => {
  isTaken = false;
  await lookFor(3 * journalRetryMs, well);
  expect(sent).toHaveLength(3);
  isTaken = true;
  await lookFor(10 * journalRetryMs, well);
  expect(sent).toHaveLength(4);
  await lookFor(10 * journalRetryMs, full);
  expect(sent.slice(4).map(({ facts }) => facts)).toEqual([full]);
});

test('what was taken and then lost is sent again soon, and then as often as an idle edge reports', async () => {
  await lookFor(factsAgainMs + 2 * idleReportEveryMs, well);
  const times = sent.map(({ afterMs }) => afterMs);
  expect(times).toEqual([0, factsAgainMs, factsAgainMs + idleReportEveryMs]);
  expect(sent.every(({ facts }) => facts === well)).toBe(true);
});

test('a repetition that is not taken is tried on, and a change begins anew', async () => {
  await lookFor(factsAgainMs, well);
  isTaken = false;
  await lookFor(3 * journalRetryMs, well);
  isTaken = true;
  await lookFor(journalRetryMs, well);
  expect(sent).toHaveLength(5);
  const changedMs = clock.monotonicMs();
  await lookFor(factsAgainMs + journalRetryMs, full);
  expect(sent.slice(5)).toEqual([
    { facts: full, afterMs: changedMs },
    { facts: full, afterMs: changedMs + factsAgainMs },
  ]);
});
