import { type CellId, compareCells } from '../model/names.ts';
import type { CellTurn } from './rollout-turn.ts';
import type { RolloutCounts, ServiceCounts } from './service.ts';

/**
 * How a rollout goes through a job that is in several cells: from one to the next. Each cell may
 * have as many instances away as the job allows, and only one of them moves at a time; a generation
 * that fails does so in the first of them, and the others keep what they run. The rollup gives the
 * turn, one after the other as it writes the status, where it stands who was given it last.
 */
export type Turns = {
  /** What each cell that ever followed a wish counted of it last. */
  readonly cells: ReadonlyMap<CellId, RolloutCounts>;
  readonly last: CellTurn | undefined;
};

/**
 * Whose turn it is, the last one as long as its cell does not show that it saw it; `null` while a
 * cell moves or has not seen what is wanted now, after one has paused, and when all have gone.
 */
export function nextTurn({ cells, last }: Turns): CellTurn | null {
  const wish = newestOf([...cells.values()]);
  if (wish === 0 || [...cells.values()].some((it) => wishOf(it) < wish)) return null;
  const wanted = wantedOf([...cells.values()]);
  if (last !== undefined && isUnseen(last, cells.get(last.cell), { wish, wanted })) return last;
  const current = [...cells].sort(([a], [b]) => compareCells(a, b));
  const gone = current.filter(([, { awaits }]) => awaits === undefined);
  if (gone.some(([, it]) => it.open === true || it.state === 'moving' || it.state === 'paused')) {
    return null;
  }
  const failed = current.find(([, it]) => it.failed === wanted)?.[1];
  if (failed !== undefined) {
    const { generation: to, reason } = failed;
    const other = current.find(([, it]) => it.failed !== wanted);
    const back = { to, reason: reason ?? '' };
    if (other !== undefined) return { cell: other[0], turn: { wish, back } };
  }
  const waiting = current.filter(([, { awaits }]) => awaits !== undefined);
  // One that was in the middle of an earlier wish has instances away already.
  const next = waiting.find(([, { open }]) => open === true) ?? waiting[0];
  return next === undefined ? null : { cell: next[0], turn: { wish } };
}

function isUnseen(
  { turn }: CellTurn,
  of: RolloutCounts | undefined,
  { wish, wanted }: { readonly wish: number; readonly wanted: number },
): boolean {
  if (of === undefined || turn.wish !== wish) return false;
  return turn.back === undefined ? of.awaits !== undefined : of.failed !== wanted;
}

/** Some have come to it, wait for it, or have seen it fail. */
function wantedOf(all: readonly RolloutCounts[]): number {
  return Math.max(...all.map((it) => Math.max(it.awaits ?? 0, it.generation, it.failed ?? 0)));
}

/** What the cells of a job count, as one. */
export function foldRollouts(cells: readonly ServiceCounts[]): RolloutCounts | undefined {
  if (cells.length <= 1) return cells[0]?.rollout;
  const all = cells.flatMap(({ rollout }) => rollout ?? []);
  if (all.length === 0) return undefined;
  const wish = newestOf(all);
  const current = all.filter((it) => wishOf(it) === wish);
  const gone = current.filter(({ awaits }) => awaits === undefined);
  const paused = gone.find(({ state }) => state === 'paused');
  const wanted = wantedOf(current);
  const back = current.find((it) => it.state === 'rolled-back' && it.failed === wanted);
  const isMoving = all.some(({ awaits, open, state }) => {
    return awaits !== undefined || open === true || state === 'moving';
  });
  const generation = back?.generation ?? wanted;
  const there = all.filter((it) => {
    return it.generation === generation && (it.awaits === undefined || back !== undefined);
  });
  return {
    generation,
    state: (paused ?? back)?.state ?? (isMoving ? 'moving' : 'done'),
    updated: there.reduce((sum, { updated }) => sum + updated, 0),
    reason: (paused ?? back)?.reason ?? null,
  };
}

function wishOf({ wish }: RolloutCounts): number {
  return wish ?? 0;
}

function newestOf(all: readonly RolloutCounts[]): number {
  return Math.max(0, ...all.map(wishOf));
}
