import { expect, test } from 'vitest';
import { collectParts } from '../../../core/live/collect-parts.ts';
import { liveAnswerBytesMax } from '../../../core/live/limits.ts';
import { edgeNameOf } from '../../../core/model/names.ts';
import type { LivePart } from '../../../core/ports/live-output.ts';

const place = (offset: number, attempt = 1) => ({ attempt, offset });

function part(offset: number, bytes: number, more: Partial<LivePart> = {}): LivePart {
  const own = { edge: edgeNameOf('edge-1'), attempt: 1, text: new Uint8Array(bytes), key: null };
  return { ...own, offset, bytes, isMore: false, isLast: false, ...more };
}

const read = (parts: readonly LivePart[], offset: number, attempt = 1) => {
  const { pieces, ...rest } = collectParts(parts, place(offset, attempt));
  return { ...rest, pieces: pieces.map((it) => [it.part.offset, it.from, it.to]) };
};

test('a reader in the middle of a part gets the rest of it and what follows', () => {
  const parts = [part(0, 10), part(10, 5, { isMore: true })];
  expect(read(parts, 7)).toMatchObject({
    next: 15,
    pieces: [
      [0, 7, 10],
      [10, 0, 5],
    ],
    isMore: true,
  });
  expect(read(parts, 15)).toMatchObject({ next: 15, pieces: [], isMore: true });
});

test('of parts that overlap each byte comes once', () => {
  const parts = [part(0, 10), part(4, 10), part(8, 3)];
  expect(read(parts, 0)).toMatchObject({
    next: 14,
    pieces: [
      [0, 0, 10],
      [4, 6, 10],
    ],
  });
});

test('what was not sent is skipped, and never in the middle of an answer', () => {
  const parts = [part(0, 10), part(100, 5)];
  expect(read(parts, 0)).toMatchObject({ next: 10, pieces: [[0, 0, 10]] });
  expect(read(parts, 10)).toMatchObject({ next: 105, pieces: [[100, 0, 5]] });
});

test('the end is known when all before it was read', () => {
  const parts = [part(0, 10), part(10, 0, { isLast: true })];
  expect(read(parts, 0)).toMatchObject({ next: 10, isWhole: true });
  expect(read(parts, 10)).toMatchObject({ next: 10, isWhole: true, pieces: [] });
  expect(read([...parts, part(0, 3, { attempt: 2 })], 10)).toMatchObject({
    attempt: 2,
    offset: 0,
    next: 3,
    isWhole: false,
  });
});

test('an answer is no longer than answers are', () => {
  const half = liveAnswerBytesMax / 2;
  const parts = [0, 1, 2].map((at) => part(at * half, half));
  expect(read(parts, 0)).toMatchObject({ next: 2 * half });
});
