import { moveRanges } from '../../../core/fleet/move-ranges.ts';
import { planSpread, type Spread } from '../../../core/fleet/spread.ts';
import type { Cell, CellJob, CellMeta } from '../../../core/model/cell.ts';
import { tickEveryMs } from '../../../core/model/limits.ts';
import { emptyRanges } from '../../../core/model/ranges.ts';
import { standsStill } from '../../../core/model/unreadable.ts';
import { isSpread, seatsOfCell } from '../../../core/services/everywhere.ts';
import type { MoveDeps } from './move-backlog.ts';

/**
 * Brings jobs that run everywhere to cells of their pool that have not got them: they come without
 * an instance, and the cell's own passes give its edges theirs. A lost race is left to the next
 * minute.
 */
export async function spreadJobs(deps: MoveDeps, metas: readonly CellMeta[]): Promise<void> {
  const turn = Math.floor(deps.clock.nowMs() / tickEveryMs);
  for (const planned of planSpread(metas, turn)) {
    try {
      await carryOut(deps, planned);
    } catch (error) {
      deps.log.error('jobs that run everywhere did not come to a cell', { ...planned, error });
    }
  }
}

async function carryOut({ moves, clock, log }: MoveDeps, planned: Spread): Promise<void> {
  const [from, to] = await Promise.all([moves.load(planned.from), moves.load(planned.to)]);
  if (from === null || to === null || standsStill(from.meta) || standsStill(to.meta)) return;
  const jobs = planned.jobs.filter((id) => {
    const job = from.jobs.get(id);
    return job !== undefined && !to.jobs.has(id) && isSpread(job.intent) && hasOwnSeats(from, job);
  });
  const histories = await moves.historiesIn(to.meta.id, jobs);
  const known = new Map([...histories].flatMap(([job, it]) => (it === null ? [] : [[job, it]])));
  const coming = jobs.filter((job) => histories.get(job) !== null);
  const nothing = new Map(coming.map((job) => [job, emptyRanges]));
  const move = moveRanges(from, to, nothing, known, clock.nowMs());
  if (move === null) return;
  const outcome = await moves.commitMove(move);
  log.info('spread', { ...planned, outcome });
}

/** Before cells had numbers of their own to give, one gave those that are another's now. */
function hasOwnSeats({ meta }: Cell, { slice }: CellJob): boolean {
  const [first, beyond] = seatsOfCell(meta.id);
  return [...(slice.seats ?? [])].every(([, seat]) => seat >= first && seat < beyond);
}
