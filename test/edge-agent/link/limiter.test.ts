import { expect, test } from 'vitest';
import { makeLimiter, makeWideningLimiter } from '../../../edge-agent/link/limiter.ts';

/**
 * Visitors who stay until they are sent on; `inside` are those who came through and are still
 * there.
 */
function visitors(count: number, turn: ReturnType<typeof makeLimiter>) {
  const inside: ((ended: 'well' | 'badly') => void)[] = [];
  const visits = Array.from({ length: count }, () =>
    turn(
      () =>
        new Promise<void>((resolve, reject) => {
          inside.push((ended) => (ended === 'well' ? resolve() : reject(new Error('no'))));
        }),
    ).catch(() => undefined),
  );
  const leave = async (ended: 'well' | 'badly') => {
    inside.shift()!(ended);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { inside, visits, leave };
}

test('so many are inside at a time, however those before them ended', async () => {
  const { inside, visits, leave } = visitors(4, makeLimiter(2));
  expect(inside).toHaveLength(2);
  await leave('badly');
  expect(inside).toHaveLength(2);
  await leave('well');
  expect(inside).toHaveLength(2);
  await leave('well');
  await leave('well');
  await Promise.all(visits);
});

test('it widens after every so many that came through well, up to its width', async () => {
  const turn = makeWideningLimiter({ atFirst: 1, atOnce: 3, every: 2 });
  const { inside, visits, leave } = visitors(20, turn);
  const widths = [inside.length];
  for (const ended of ['well', 'badly', 'well', 'well', 'well', 'well', 'well'] as const) {
    await leave(ended);
    widths.push(inside.length);
  }
  expect(widths).toEqual([1, 1, 1, 2, 2, 3, 3, 3]);
  while (inside.length > 0) await leave('well');
  await Promise.all(visits);
});
