import { expect, test } from 'vitest';
import { type RestPorts, restBetweenLooks } from '../../clients/typescript/rest.ts';

/** On a clock of its own: the time of a pause and of a request passes at once. */
function makeRest(
  news: (after: string, waitSeconds: number) => [tookMs: number, items: number] | null,
) {
  const asked: string[] = [];
  const slept: number[] = [];
  let nowMs = 0;
  const ports: RestPorts = {
    nowMs: () => nowMs,
    sleep: async (ms) => {
      slept.push(ms);
      nowMs += ms;
    },
    news: async (after, waitSeconds) => {
      asked.push(`${after} ${waitSeconds}`);
      const answer = news(after, waitSeconds);
      if (answer === null) return null;
      nowMs += answer[0];
      return { items: Array(answer[1]).fill({}), cursor: `c${asked.length}` };
    },
    secondsMax: 25,
  };
  const rest = restBetweenLooks(ports);
  return { asked, slept, rest, nowMs: () => nowMs };
}

const forEver = Number.POSITIVE_INFINITY;

test('a short wait asks for no events; a longer one waits for them, each behind the one before', async () => {
  const { asked, rest, slept, nowMs } = makeRest((_, seconds) => [seconds * 1_000, 0]);
  while (asked.length === 0) expect(await rest(forEver)).toBe(true);
  expect(nowMs()).toBeGreaterThanOrEqual(5_000);
  const pauses = slept.length;
  await rest(forEver);
  await rest(forEver);
  expect(asked).toEqual(['now 0', 'c1 25', 'c2 25']);
  expect(slept.length).toBe(pauses);
});

test('an event ends the pause, whenever it comes', async () => {
  const { asked, rest, nowMs } = makeRest((after) => [after === 'now' ? 0 : 10, 1]);
  while (asked.length < 4) await rest(forEver);
  expect(asked).toEqual(['now 0', 'c1 25', 'c2 25', 'c3 25']);
  expect(nowMs()).toBeLessThan(8_000);
});

test.each([
  ['are not to be had', () => null],
  ['are answered at once, with nothing', () => [0, 0] as [number, number]],
])('where events %s, it stays with pauses', async (_, news) => {
  const { asked, slept, rest } = makeRest(news);
  for (let looks = 0; looks < 40; looks++) await rest(forEver);
  expect(asked.length).toBeLessThanOrEqual(2);
  expect(slept.at(-1)).toBe(2_000);
});

test('no pause is longer than the time that is left', async () => {
  const { asked, rest } = makeRest((_, seconds) => [seconds * 1_000, 0]);
  while (asked.length === 0) await rest(forEver);
  expect(await rest(3_500)).toBe(true);
  expect(asked.at(-1)).toBe('c1 3');
  expect(await rest(500)).toBe(false);
});
