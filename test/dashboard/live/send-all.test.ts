import { expect, test } from 'vitest';
import type { Answer } from '../../../dashboard/api/client.ts';
import { offline, type Problem } from '../../../dashboard/api/problem.ts';
import { bulkAtOnceMax, bulkTriesMax } from '../../../dashboard/limits.ts';
import { sendAll } from '../../../dashboard/live/send-all.ts';

const fine: Answer<unknown> = { ok: true, value: null, unchanged: false };
const refusal = (kind: Problem['kind'], retryAfterMs: number | null = null): Answer<unknown> => ({
  ok: false,
  problem: { ...offline, kind, retryAfterMs },
});

/** Answers by what is sent, in turn; the last one again and again. */
function run(answers: Readonly<Record<string, readonly Answer<unknown>[]>>) {
  const log = { sent: [] as string[], waits: [] as number[], progress: [] as number[], most: 0 };
  let open = 0;
  const all = sendAll({
    items: Object.keys(answers),
    send: async (item) => {
      open++;
      log.most = Math.max(log.most, open);
      await Promise.resolve();
      open--;
      const before = log.sent.filter((one) => one === item).length;
      log.sent.push(item);
      const own = answers[item]!;
      return own[Math.min(before, own.length - 1)]!;
    },
    onProgress: (ended) => log.progress.push(ended),
    wait: async (ms) => void log.waits.push(ms),
  });
  return all.then((sent) => ({ sent, log }));
}

test('each is sent once, a few at a time', async () => {
  const names = Array.from({ length: 20 }, (_, n) => `job-${n}`);
  const { sent, log } = await run(Object.fromEntries(names.map((name) => [name, [fine]])));
  expect(sent).toEqual({ done: 20, refused: [] });
  expect(log.sent.sort()).toEqual(names.sort());
  expect(log.most).toBe(bulkAtOnceMax);
  expect(log.progress).toEqual(names.map((_, at) => at + 1));
});

test('one that is refused stops none of the others, and is not sent again', async () => {
  const { sent, log } = await run({ a: [fine], b: [refusal('refused')], c: [fine] });
  expect(sent.done).toBe(2);
  expect(sent.refused.map(({ item, problem }) => [item, problem.kind])).toEqual([['b', 'refused']]);
  expect(log.sent.filter((item) => item === 'b')).toHaveLength(1);
});

test('one that the API had no time for is sent again, as late as it asks', async () => {
  const { sent, log } = await run({ a: [refusal('busy', 9_000), fine] });
  expect(sent).toEqual({ done: 1, refused: [] });
  expect(log.waits).toEqual([9_000]);
});

test('an API that is gone ends it after a few tries', async () => {
  const { sent, log } = await run({ a: [refusal('offline')] });
  expect(sent.refused).toHaveLength(1);
  expect(log.sent).toHaveLength(bulkTriesMax);
  expect(log.waits).toEqual([1_000, 2_000, 4_000]);
});
