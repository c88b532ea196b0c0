import { expect, test } from 'vitest';
import { livePartBytesMax, livePartKeptSeconds } from '../../core/live/limits.ts';
import type { LiveWish } from '../../core/live/live-wishes.ts';
import { edgeNameOf, jobIdOf } from '../../core/model/names.ts';
import type { LivePart } from '../../core/ports/live-output.ts';
import type { Contract } from './stores.ts';

const edge = edgeNameOf('edge-1');
const job = jobIdOf('job-1');
const nowMs = Date.parse('2026-03-01T12:00:00Z');
const wish = (chunk: number): LiveWish => ({ job, chunk, untilMs: nowMs + 60_000 });
const begin = { attempt: 1, offset: 0 };

function part(offset: number, text: string, more: Partial<LivePart> = {}): LivePart {
  const bytes = Buffer.from(text);
  const signs = { isMore: false, isLast: false };
  return {
    edge,
    attempt: 1,
    offset,
    bytes: bytes.length,
    text: bytes,
    key: null,
    ...signs,
    ...more,
  };
}

const seen = (parts: readonly LivePart[]) =>
  parts.map((it) => [it.attempt, it.offset, it.text && Buffer.from(it.text).toString('hex')]);

/** What every keeper of outputs that are followed promises. */
export const liveOutputContract: Contract = (makeStores) => {
  test('nobody is asked for anything until somebody is', async () => {
    const { live } = await makeStores();
    expect(await live.wishes(edge)).toEqual({ wishes: [], version: 0 });
    expect(await live.parts(job, 0, begin, nowMs)).toEqual([]);
  });

  test('of wishes that are written at once one is written', async () => {
    const { live } = await makeStores();
    expect(await live.saveWishes(edge, 0, [wish(3)], nowMs)).toBe(true);
    expect(await live.saveWishes(edge, 0, [wish(4)], nowMs)).toBe(false);
    const { wishes, version } = await live.wishes(edge);
    expect(wishes).toEqual([wish(3)]);
    expect(await live.saveWishes(edge, version, [wish(3), wish(4)], nowMs)).toBe(true);
    expect((await live.wishes(edge)).wishes).toEqual([wish(3), wish(4)]);
    expect((await live.wishes(edgeNameOf('edge-2'))).wishes).toEqual([]);
  });

  test('parts are read as they were sent, in their order, each chunk apart', async () => {
    const { live } = await makeStores();
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('latin1');
    const parts = [
      part(0, 'one\n', { isMore: true }),
      part(4, 'zwei ä\n', { edge: edgeNameOf('edge-2') }),
      part(1_000_000, '', { text: null, key: 'outputs/far', bytes: 90_000 }),
      part(1_090_000, '', { isLast: true }),
      part(0, 'again\n', { attempt: 2 }),
    ];
    for (const each of parts.toReversed()) await live.keepPart(job, 3, each, nowMs);
    await live.keepPart(job, 30, part(0, every), nowMs);
    const found = await live.parts(job, 3, begin, nowMs);
    expect(seen(found)).toEqual(seen(parts));
    expect(found.map(({ key, isMore, isLast, bytes }) => [key, isMore, isLast, bytes])).toEqual(
      parts.map(({ key, isMore, isLast, bytes }) => [key, isMore, isLast, bytes]),
    );
    expect(found.map((it) => it.edge)).toEqual(parts.map((it) => it.edge));
    expect(seen(await live.parts(job, 30, begin, nowMs))).toEqual(seen([part(0, every)]));
  });

  test('who is far gets what lies just before, and later attempts', async () => {
    const { live } = await makeStores();
    for (const offset of [0, 10, 20]) await live.keepPart(job, 0, part(offset, 'x'), nowMs);
    await live.keepPart(job, 0, part(0, 'y', { attempt: 2 }), nowMs);
    const from = { attempt: 1, offset: 11 + livePartBytesMax };
    expect(seen(await live.parts(job, 0, from, nowMs))).toEqual([
      [1, 20, '78'],
      [2, 0, '79'],
    ]);
    const later = await live.parts(job, 0, { attempt: 2, offset: 0 }, nowMs);
    expect(seen(later)).toEqual([[2, 0, '79']]);
  });

  test('a part that comes again is there once, and none for ever', async () => {
    const { live } = await makeStores();
    for (const text of ['half', 'whole']) await live.keepPart(job, 0, part(0, text), nowMs);
    expect(seen(await live.parts(job, 0, begin, nowMs))).toEqual(seen([part(0, 'whole')]));
    const afterMs = nowMs + (livePartKeptSeconds + 1) * 1_000;
    await live.keepPart(job, 0, part(900, 'late'), afterMs);
    expect(seen(await live.parts(job, 0, begin, afterMs))).toEqual(seen([part(900, 'late')]));
  });
};
