import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunksOf, fromChunks, has, rangeOf } from '../../../core/model/ranges.ts';
import { restartsKept } from '../../../core/services/limits.ts';
import {
  askedAgain,
  isElsewhere,
  type OneRestart,
  partsOf,
  type RestartWish,
  restartAfter,
} from '../../../core/services/restart-wish.ts';

const all = rangeOf(0, 6);
const one = fc.record({
  chunks: fc.option(fc.uniqueArray(fc.integer({ min: 0, max: 5 }), { minLength: 1 })),
  isElsewhere: fc.boolean(),
});

const wishesOf = (asked: readonly { chunks: number[] | null; isElsewhere: boolean }[]) =>
  asked.map(({ chunks, isElsewhere: there }, at): OneRestart => {
    const named = chunks === null ? null : fromChunks(chunks);
    return { epoch: at + 1, chunks: named, ...(there && named && { elsewhere: true as const }) };
  });

const wishAfter = (wishes: readonly OneRestart[]) =>
  wishes.reduce<RestartWish | undefined>(restartAfter, undefined)!;

test('whoever has seen some of them starts what the rest names, and nothing else', () => {
  const asked = fc.array(one, { minLength: 1, maxLength: restartsKept });
  fc.assert(
    fc.property(asked, fc.nat(restartsKept), (drawn, seen) => {
      const wishes = wishesOf(drawn);
      const wish = wishAfter(wishes);
      const open = wishes.filter(({ epoch }) => epoch > seen);
      const wanted = [...chunksOf(all)].filter((chunk) => {
        return open.some(({ chunks }) => chunks === null || has(chunks, chunk));
      });
      const again = askedAgain(wish, seen);
      expect([...chunksOf(again ?? all)].sort()).toEqual(wanted);
      for (const chunk of chunksOf(all)) {
        const last = wishes.findLast(({ chunks }) => chunks === null || has(chunks, chunk));
        expect(isElsewhere(wish, chunk)).toBe(last?.elsewhere === true);
      }
    }),
  );
});

test('of very many the oldest are one, so that nobody is forgotten', () => {
  const chunks = Array.from({ length: restartsKept * 3 }, (_, chunk) => chunk);
  const wish = wishAfter(chunks.map((it) => ({ epoch: it + 1, chunks: rangeOf(it, it + 1) })));
  expect(partsOf(wish)).toHaveLength(restartsKept + 1);
  expect(askedAgain(wish, 0)).toEqual(rangeOf(0, chunks.length));
  expect(askedAgain(wish, chunks.length - 1)).toEqual(rangeOf(chunks.length - 1, chunks.length));
});
