import { type CellMove, planMoves } from '../../../core/fleet/choose-cells.ts';
import { chooseRanges, moveRanges } from '../../../core/fleet/move-ranges.ts';
import type { CellMeta } from '../../../core/model/cell.ts';
import { tickEveryMs } from '../../../core/model/limits.ts';
import { standsStill } from '../../../core/model/unreadable.ts';
import type { CellMoves } from '../../../core/ports/cells.ts';
import type { Clock } from '../../../core/ports/timers.ts';
import type { Log } from '../../log.ts';

export type MoveDeps = {
  readonly moves: CellMoves;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Moves waiting chunks from cells that are full to cells of the same pool that are idle. The
 * summaries only say where to look; what moves is decided on the cells themselves. A lost race is
 * left to the next minute.
 */
export async function moveBacklog(deps: MoveDeps, metas: readonly CellMeta[]): Promise<void> {
  const turn = Math.floor(deps.clock.nowMs() / tickEveryMs);
  for (const planned of planMoves(metas, turn)) {
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
  if (from === null || to === null || standsStill(from.meta) || standsStill(to.meta)) return;
  const nowMs = deps.clock.nowMs();
  const chosen = chooseRanges(from, to, planned, nowMs);
  const arriving = [...chosen.keys()].filter((job) => !to.jobs.has(job));
  const histories = await deps.moves.historiesIn(to.meta.id, arriving);
  const known = new Map([...histories].flatMap(([job, it]) => (it === null ? [] : [[job, it]])));
  const movable = new Map([...chosen].filter(([job]) => histories.get(job) !== null));
  const move = moveRanges(from, to, movable, known, nowMs);
  if (move === null) return;
  const outcome = await deps.moves.commitMove(move);
  deps.log.info('move', { ...planned, jobs: move.from.slices.size, outcome });
}
