import type { Cell, CellMeta } from '../../core/cell.ts';
import { type CellMove, planMoves } from '../../core/cells.ts';
import { moveLooksMax } from '../../core/limits.ts';
import { chooseRanges, type Move, moveRanges } from '../../core/move-ranges.ts';
import type { JobId } from '../../core/names.ts';
import type { CellMoves, Clock } from '../../core/ports.ts';
import type { Log } from '../log.ts';

export type MoveDeps = {
  readonly moves: CellMoves;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Moves waiting chunks from cells that are full to cells of the same pool that are idle. The summaries only say where to
 * look; what moves is decided on the cells themselves. A lost race is left to the next minute.
 */
export async function moveBacklog(deps: MoveDeps, metas: readonly CellMeta[]): Promise<void> {
  for (const planned of planMoves(metas)) {
    try {
      await carryOut(deps, planned);
    } catch (error) {
      deps.log.error('waiting chunks were not moved', { ...planned, error });
    }
  }
}

async function carryOut(deps: MoveDeps, planned: CellMove): Promise<void> {
  const [from, to] = await Promise.all([
    deps.moves.load(planned.from),
    deps.moves.load(planned.to),
  ]);
  if (from === null || to === null) return;
  const move = await choose(deps, from, to, planned.power);
  if (move === null) return;
  const outcome = await deps.moves.commitMove(move);
  deps.log.info('move', { ...planned, jobs: move.from.shares.size, outcome });
}

/** A job that has already ended in the target is passed over, and others are looked at instead. */
async function choose(deps: MoveDeps, from: Cell, to: Cell, power: number): Promise<Move | null> {
  const excluded = new Set<JobId>();
  for (let look = 1; look <= moveLooksMax; look++) {
    const nowMs = deps.clock.nowMs();
    const chosen = chooseRanges(from, to, power, excluded, nowMs);
    const arriving = [...chosen.keys()].filter((job) => !to.jobs.has(job));
    const known = await deps.moves.knownIn(to.meta.id, arriving);
    if (known.size === 0) return moveRanges(from, to, chosen, nowMs);
    for (const job of known) excluded.add(job);
  }
  return null;
}
