import { describe, expect, test } from 'vitest';
import { cellIdOf } from '../../../core/model/names.ts';
import { emptyRanges, rangeOf } from '../../../core/model/ranges.ts';
import { type Rollout, rolloutTowards } from '../../../core/services/rollout.ts';
import type { CellTurn } from '../../../core/services/rollout-turn.ts';
import type { RolloutWish } from '../../../core/services/rollout-wish.ts';
import type { RolloutCounts, ServiceCounts } from '../../../core/services/service.ts';
import { foldRollouts, nextTurn } from '../../../core/services/turns.ts';

const [north, south, east] = ['web.0', 'web.1', 'web.10'].map(cellIdOf) as [never, never, never];
const counts = (over: Partial<RolloutCounts> = {}): RolloutCounts => ({
  generation: 1,
  state: 'done',
  updated: 3,
  reason: null,
  ...over,
});
/** They wait for the second generation, or have come to it. */
const waits = (over: Partial<RolloutCounts> = {}) => counts({ wish: 2, awaits: 2, ...over });
const came = (over: Partial<RolloutCounts> = {}) => counts({ wish: 2, generation: 2, ...over });
const failed = counts({ wish: 2, failed: 2, state: 'rolled-back', reason: 'it ended' });
const turnAfter = (last: CellTurn | undefined, ...cells: (readonly [never, RolloutCounts])[]) =>
  nextTurn({ cells: new Map(cells), last });
const turn = (...cells: (readonly [never, RolloutCounts])[]) => turnAfter(undefined, ...cells);

describe('whose turn it is', () => {
  test('is in the order of the cells, and nobody is asked who follows no wish', () => {
    expect(turn([east, waits()], [south, waits()])).toEqual({ cell: south, turn: { wish: 2 } });
    expect(turn([south, came()], [east, waits()])).toEqual({ cell: east, turn: { wish: 2 } });
    expect(turn([south, came()], [east, came()])).toBeNull();
    expect(turn([south, counts()], [east, counts()])).toBeNull();
    expect(turn()).toBeNull();
  });

  test.each([
    ['moves', came({ state: 'moving' })],
    ['has some away', came({ open: true })],
    ['has paused', came({ state: 'paused' })],
    ['goes back', { ...failed, open: true as const }],
    ['does not know the wish', counts({ wish: 1 })],
  ])('nobody has it while one %s', (_, one) => {
    expect(turn([north, one], [south, waits()])).toBeNull();
  });

  test('it stays with who was given it until that shows that it was seen', () => {
    const last = { cell: south, turn: { wish: 2 } };
    expect(turnAfter(last, [north, waits({ open: true })], [south, waits()])).toBe(last);
    expect(turnAfter(last, [north, waits()], [south, came()])?.cell).toBe(north);
    const old = { cell: south, turn: { wish: 1 } };
    expect(turnAfter(old, [north, waits()], [south, waits()])?.cell).toBe(north);
    expect(turnAfter({ ...last, cell: east }, [north, waits()], [south, waits()])?.cell).toBe(
      north,
    );
    const back = { cell: north, turn: { wish: 2, back: { to: 1, reason: 'it ended' } } };
    expect(turnAfter(back, [north, came()], [south, failed], [east, came()])).toBe(back);
    const gone = counts({ wish: 2, failed: 2, state: 'rolled-back' });
    expect(turnAfter(back, [north, gone], [south, failed], [east, came()])?.cell).toBe(east);
  });

  test('one that was in the middle of an earlier wish goes first', () => {
    expect(turn([north, waits()], [south, waits({ open: true })])?.cell).toBe(south);
  });

  test('where it failed, all go back one after the other, and nobody comes to it', () => {
    const back = { to: 1, reason: 'it ended' };
    expect(turn([north, came()], [south, failed], [east, waits()])).toEqual({
      cell: north,
      turn: { wish: 2, back },
    });
    const gone = counts({ wish: 2, failed: 2, state: 'rolled-back', reason: 'it ended' });
    expect(turn([north, { ...gone, open: true }], [south, failed], [east, came()])).toBeNull();
    expect(turn([north, gone], [south, failed], [east, came()])?.cell).toBe(east);
    // Who has not come to it never will, whatever else is wanted later.
    expect(turn([north, gone], [south, failed], [east, waits()])).toEqual({
      cell: east,
      turn: { wish: 2, back },
    });
    const again = { wish: 3, awaits: 2 };
    const started = turn(
      [north, { ...gone, ...again }],
      [south, { ...failed, ...again }],
      [east, waits(again)],
    );
    expect(started).toEqual({ cell: east, turn: { wish: 3, back } });
    expect(turn([north, gone], [south, failed], [east, gone])).toBeNull();
    // One may have come further than the one that failed ever did.
    const fourth = { wish: 4, failed: 4 };
    const ahead = waits({ wish: 4, awaits: 4, generation: 3 });
    expect(turn([south, { ...failed, ...fourth }], [east, ahead])).toEqual({
      cell: east,
      turn: { wish: 4, back },
    });
  });

  test('what failed earlier does not keep a later wish', () => {
    const before = { failed: 2, state: 'rolled-back' as const, reason: 'it ended' };
    const again = waits({ ...before, wish: 3 });
    expect(turn([north, { ...again, awaits: 2 }], [south, again])?.cell).toBe(north);
    const first = counts({ ...before, wish: 3 });
    expect(turn([north, first], [south, again])).toEqual({ cell: south, turn: { wish: 3 } });
  });
});

describe('what cells count is one rollout', () => {
  const service = (rollout?: RolloutCounts): ServiceCounts => ({
    wanted: 3,
    ready: 3,
    restarts: 0,
    everywhere: true,
    ...(rollout !== undefined && { rollout }),
  });
  const folded = (...rollouts: (RolloutCounts | undefined)[]) =>
    foldRollouts(rollouts.map(service));

  test('which moves as long as one has to go', () => {
    const moving = { state: 'moving', generation: 2, reason: null };
    expect(folded(waits(), waits())).toEqual({ ...moving, updated: 0 });
    expect(folded(waits(), undefined)).toEqual({ ...moving, updated: 0 });
    expect(folded(came(), waits())).toEqual({ ...moving, updated: 3 });
    expect(folded(came(), came({ open: true, updated: 1 }))).toEqual({ ...moving, updated: 4 });
    expect(folded(came(), came())).toEqual({ ...moving, state: 'done', updated: 6 });
  });

  test('which has paused, or is taken back, with the reason of the cell where it was', () => {
    const paused = came({ state: 'paused', reason: 'it ended', updated: 1, open: true });
    expect(folded(came(), paused, waits())).toEqual({
      state: 'paused',
      generation: 2,
      updated: 4,
      reason: 'it ended',
    });
    expect(folded(failed, waits())).toEqual({
      state: 'rolled-back',
      generation: 1,
      updated: 6,
      reason: 'it ended',
    });
  });

  test('which is what its only cell says, and nothing where there never was one', () => {
    expect(folded(undefined, undefined)).toBeUndefined();
    expect(folded(came({ open: true }))).toEqual(came({ open: true }));
  });
});

describe('a cell', () => {
  const earlier = { generation: 1, specHash: 'first', executor: 'simulate' as const };
  const wish: RolloutWish = {
    generation: 2,
    earlier: [{ ...earlier, requires: { labels: {}, expressions: [], edges: [] }, resources: {} }],
    restart: null,
    byTurns: true,
  };
  const three = rangeOf(0, 3);
  const seen = (turn?: { wish: number }, before?: Rollout) =>
    rolloutTowards({ rollout: wish, turn }, three, before, 5_000);

  test('stays what it is until its turn, and remembers once that it waits', () => {
    const waiting = seen();
    expect(waiting).toMatchObject({ generation: 1, state: 'done' });
    expect(waiting).toMatchObject({ awaits: { wish: 2, generation: 2 } });
    expect(seen(undefined, waiting)).toBe(waiting);
    expect(seen({ wish: 1 }, waiting)).toBe(waiting);
    const going = seen({ wish: 2 }, waiting);
    expect(going).toMatchObject({ generation: 2, state: 'moving', due: new Map([[1, three]]) });
    expect(going).not.toHaveProperty('awaits');
  });

  test('goes back where another one failed, once', () => {
    const came = { ...seen({ wish: 2 })!, state: 'done' as const, stable: 2, due: new Map() };
    const turn = { wish: 2, back: { to: 1, reason: 'it ended' } };
    const back = rolloutTowards({ rollout: wish, turn }, three, came, 9_000)!;
    expect(back).toMatchObject({ generation: 1, state: 'rolled-back', reason: 'it ended' });
    expect(back.due).toEqual(new Map([[2, three]]));
    expect(rolloutTowards({ rollout: wish, turn }, three, back, 9_500)).toBe(back);
    const waiting = rolloutTowards({ rollout: { ...wish, generation: 3 } }, three, came, 9_000)!;
    expect(waiting).toMatchObject({ generation: 2, awaits: { wish: 3 } });
    const last = { wish: 3, back: turn.back };
    const followed = { rollout: { ...wish, generation: 3 }, turn: last };
    const taken = rolloutTowards(followed, three, waiting, 9_500)!;
    expect(taken).toMatchObject({ generation: 1, wanted: 3, state: 'rolled-back', failed: 3 });
    expect(taken).not.toHaveProperty('awaits');
    const late = { wish: 1, back: turn.back };
    expect(rolloutTowards({ rollout: wish, turn: late }, three, came, 9_000)).toBe(came);
    expect(rolloutTowards({ rollout: wish, turn }, emptyRanges, undefined, 0)).toMatchObject({
      generation: 1,
    });
  });

  test('that never came to what failed does not later, when its instances start anew', () => {
    const back = { to: 1, reason: 'it ended' };
    const waiting = seen()!;
    const known = rolloutTowards(
      { rollout: wish, turn: { wish: 2, back } },
      three,
      waiting,
      6_000,
    )!;
    expect(known).toMatchObject({ generation: 1, wanted: 2, failed: 2, state: 'rolled-back' });
    expect([known.due.size, known.awaits]).toEqual([0, undefined]);
    const anew = { ...wish, restart: { epoch: 1, chunks: rangeOf(1, 2) } };
    const held = rolloutTowards({ rollout: anew, turn: { wish: 2, back } }, three, known, 7_000)!;
    expect(held).toMatchObject({ generation: 1, awaits: { wish: 3 } });
    const going = rolloutTowards({ rollout: anew, turn: { wish: 3 } }, three, held, 8_000)!;
    expect(going).toMatchObject({ generation: 1, due: new Map([[1, rangeOf(1, 2)]]) });
    // Both at once: it has not seen that the generation failed when it is to start anew.
    const both = rolloutTowards({ rollout: anew, turn: { wish: 3, back } }, three, waiting, 9_000)!;
    expect(both).toMatchObject({ generation: 1, wanted: 2, restarts: 0, failed: 2 });
    const next = rolloutTowards({ rollout: anew, turn: { wish: 3, back } }, three, both, 9_500);
    expect(next).toMatchObject({ awaits: { wish: 3 }, restarts: 0 });
  });
});
