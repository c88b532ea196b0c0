import fc from 'fast-check';
import { expect, test } from 'vitest';
import { divide, type Places } from '../../../core/scheduler/divide.ts';

/**
 * Places with a capacity, some of it in use, and the size of one chunk: what edges and cells are to
 * a division.
 */
const places = fc
  .array(fc.record({ capacity: fc.integer({ min: 1, max: 2_000 }), used: fc.nat({ max: 100 }) }), {
    minLength: 1,
    maxLength: 40,
  })
  .chain((list) => fc.tuple(fc.constant(list), fc.integer({ min: 1, max: 120 })));

function placesOf(list: { capacity: number; used: number }[], size: number): Places {
  const used = list.map((place) => (place.capacity * place.used) / 100);
  return {
    fit: Int32Array.from(list, ({ capacity }, i) => Math.floor((capacity - used[i]!) / size)),
    load: Float64Array.from(list, ({ capacity }, i) => used[i]! / capacity),
    room: Float64Array.from(list, ({ capacity }) => capacity / size),
  };
}

/**
 * The best that giving one chunk after the other to the least filled place can do: slow and
 * obviously right.
 */
function highestByGreed(wanted: number, { fit, load, room }: Places): number {
  const given = new Int32Array(fit.length);
  for (let n = 0; n < wanted; n++) {
    let best = -1;
    for (let i = 0; i < fit.length; i++) {
      if (given[i]! >= fit[i]!) continue;
      const key = load[i]! + (given[i]! + 1) / room[i]!;
      if (best < 0 || key < load[best]! + (given[best]! + 1) / room[best]!) best = i;
    }
    if (best < 0) break;
    given[best]!++;
  }
  return highest(given, load, room);
}

function highest(given: Int32Array, load: Float64Array, room: Float64Array): number {
  let level = 0;
  for (let i = 0; i < given.length; i++) {
    if (given[i]! > 0) level = Math.max(level, load[i]! + given[i]! / room[i]!);
  }
  return level;
}

test('everything that fits is given, and never more than fits anywhere', () => {
  fc.assert(
    fc.property(places, fc.nat({ max: 400 }), ([list, size], wanted) => {
      const all = placesOf(list, size);
      const { placed, chunks } = divide(wanted, all);
      const room = all.fit.reduce((sum, n) => sum + n, 0);
      expect(placed).toBe(Math.min(wanted, room));
      expect(chunks.reduce((sum, n) => sum + n, 0)).toBe(placed);
      chunks.forEach((n, i) => {
        expect(n).toBeGreaterThanOrEqual(0);
        expect(n).toBeLessThanOrEqual(all.fit[i]!);
      });
    }),
  );
});

test('no place ends more than one chunk above the optimum', () => {
  fc.assert(
    fc.property(places, fc.integer({ min: 1, max: 400 }), ([list, size], wanted) => {
      const all = placesOf(list, size);
      const { chunks } = divide(wanted, all);
      const best = highestByGreed(wanted, all);
      chunks.forEach((n, i) => {
        if (n === 0) return;
        const level = all.load[i]! + n / all.room[i]!;
        expect(level).toBeLessThanOrEqual(best + 1 / all.room[i]! + 1e-9);
      });
    }),
    { numRuns: 300 },
  );
});

test('equal empty places get equal parts, and a rest of one each from the front', () => {
  const all: Places = {
    fit: Int32Array.from([2, 2, 2, 2, 2]),
    load: new Float64Array(5),
    room: new Float64Array(5).fill(2.5),
  };
  expect([...divide(4, all).chunks]).toEqual([1, 1, 1, 1, 0]);
  expect([...divide(7, all).chunks]).toEqual([2, 2, 1, 1, 1]);
  expect([...divide(99, all).chunks]).toEqual([2, 2, 2, 2, 2]);
  expect([...divide(0, all).chunks]).toEqual([0, 0, 0, 0, 0]);
});

test('an emptier place is filled before a fuller one', () => {
  const all: Places = {
    fit: Int32Array.from([10, 4]),
    load: Float64Array.from([0, 0.6]),
    room: Float64Array.from([10, 10]),
  };
  expect([...divide(6, all).chunks]).toEqual([6, 0]);
  expect([...divide(10, all).chunks]).toEqual([8, 2]);
});

test('a place that stands at the level already gets the rest where it ends lowest', () => {
  const all: Places = {
    fit: Int32Array.from([10, 10, 10]),
    load: Float64Array.from([0.125, 0.125, 0.5]),
    room: Float64Array.from([4, 4, 100]),
  };
  expect([...divide(3, all).chunks]).toEqual([1, 1, 1]);
  const small = { ...all, room: Float64Array.from([4, 4, 4]) };
  expect([...divide(3, small).chunks]).toEqual([2, 1, 0]);
});

test('a full place gets nothing of the rest, however low it is', () => {
  const all: Places = {
    fit: Int32Array.from([1, 10, 10]),
    load: new Float64Array(3).fill(0.125),
    room: new Float64Array(3).fill(4),
  };
  expect([...divide(4, all).chunks]).toEqual([1, 2, 1]);
});

test('of many places one that stands at the level gets nothing before those below it, a full one nothing', () => {
  const many = 31 * 150;
  const all: Places = {
    fit: new Int32Array(many).fill(10),
    load: new Float64Array(many).fill(0.125),
    room: new Float64Array(many).fill(4),
  };
  // These two are not in the sample, whose level is a half.
  all.load[1] = 0.5;
  all.fit[2] = 1;
  const { chunks } = divide(1.5 * many, all);
  expect([...chunks.slice(0, 4)]).toEqual([2, 0, 1, 2]);
});

test('many places are divided through a sample, and just as level', () => {
  const shapes: readonly ((i: number) => { capacity: number; used: number })[] = [
    (i) => ({ capacity: [150, 250, 600][i % 3]!, used: (i * 7_919) % 100 }),
    () => ({ capacity: 250, used: 0 }),
    // A fleet whose sampled places are all full.
    (i) => ({ capacity: 250, used: i % 31 === 0 ? 100 : 0 }),
    (i) => ({ capacity: i % 31 === 0 ? 100_000 : 20, used: 0 }),
  ];
  for (const shape of shapes) {
    const all = placesOf(
      Array.from({ length: 10_000 }, (_, i) => shape(i)),
      10,
    );
    for (const wanted of [1, 99, 9_999, 60_000, 100_000]) {
      const { placed, chunks } = divide(wanted, all);
      const room = all.fit.reduce((sum, n) => sum + n, 0);
      expect(placed).toBe(Math.min(wanted, room));
      expect(chunks.reduce((sum, n) => sum + n, 0)).toBe(placed);
      let lowest = Number.POSITIVE_INFINITY;
      let overfilled = 0;
      chunks.forEach((n, i) => {
        if (n > all.fit[i]!) overfilled++;
        if (n < all.fit[i]!) lowest = Math.min(lowest, all.load[i]! + (n + 1) / all.room[i]!);
      });
      expect(overfilled).toBe(0);
      // Nobody is more than one chunk above where somebody else's next chunk would end.
      const over = Array.from(chunks, (n, i) =>
        n < 1 ? 0 : all.load[i]! + (n - 1) / all.room[i]!,
      );
      expect(Math.max(...over)).toBeLessThanOrEqual(lowest + 1e-9);
    }
  }
});

test('numbers that no level can tell apart are given one by one', () => {
  const all: Places = {
    fit: Int32Array.from([1_000_000, 5]),
    load: Float64Array.from([1e15, 1]),
    room: Float64Array.from([1e9, 1e15]),
  };
  expect([...divide(5_000, all).chunks]).toEqual([4_995, 5]);
});
