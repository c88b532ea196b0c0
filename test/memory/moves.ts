import type { JobHistory, Move } from '../../core/fleet/move-ranges.ts';
import { type CellJob, newSlice } from '../../core/model/cell.ts';
import type { JobId } from '../../core/model/names.ts';
import { emptyRanges } from '../../core/model/ranges.ts';
import type { CellMoves } from '../../core/ports/cells.ts';
import { carryOut, createMemoryCells, mayCommit } from './cells.ts';
import type { Stored } from './stored.ts';

/** Both cells change or neither does. */
export function createMemoryMoves(stored: Stored): CellMoves {
  return {
    load: createMemoryCells(stored).load,
    async historiesIn(cell, jobs) {
      const histories = new Map<JobId, JobHistory>();
      for (const job of jobs) {
        const rows = stored.jobs.get(job);
        const ended = rows?.cells.get(cell);
        if (rows === undefined || ended === undefined) continue;
        histories.set(job, { ended, executions: [...rows.executions.values()] });
      }
      return histories;
    },
    async commitMove(move) {
      const plans = [move.from, move.to];
      if (!plans.every((plan) => mayCommit(stored, plan)) || !isUnchanged(stored, move)) {
        return 'conflict';
      }
      for (const plan of plans) carryOut(stored, plan);
      arrive(stored, move);
      return 'committed';
    },
  };
}

/** What comes along is still the intent as it was read, and the target has got none meanwhile. */
function isUnchanged(stored: Stored, move: Move): boolean {
  const from = stored.cells.get(move.from.meta!.id)!;
  const to = stored.cells.get(move.to.meta!.id)!;
  return [...move.intents].every(([job, intent]) => {
    const now = from.jobs.get(job)?.intent;
    if (now === undefined || to.jobs.has(job)) return false;
    const { cancelled, cancelledRanges, retryEpoch, blockedByDependencies, rollout } = intent;
    return (
      now.cancelled === cancelled &&
      now.cancelledRanges === cancelledRanges &&
      now.retryEpoch === retryEpoch &&
      now.blockedByDependencies === blockedByDependencies &&
      now.rollout === rollout
    );
  });
}

function arrive(stored: Stored, move: Move): void {
  const id = move.to.meta!.id;
  const cell = stored.cells.get(id)!;
  const arrivals = [...move.intents].map(([job, intent]): [JobId, CellJob] => {
    const slice = move.to.slices.get(job) ?? newSlice(emptyRanges);
    return [job, { id: job, intent, slice }];
  });
  stored.cells.set(id, { ...cell, jobs: new Map([...cell.jobs, ...arrivals]) });
}
