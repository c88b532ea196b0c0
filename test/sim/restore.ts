import type { CellEdge } from '../../core/model/cell.ts';
import type { EdgeName } from '../../core/model/names.ts';
import type { Bug } from './bugs/bugs.ts';
import { doneJobsIn } from './table/jobs-in.ts';
import type { World } from './world.ts';

/**
 * The table as it was a while ago, in the place of the one of now: what was stored since then never
 * happened, but edges did it, and shadows still say it. Whoever restores a table stops the
 * functions first, and its stream begins anew.
 */
export function planRestore(world: World): void {
  const { random, timeline, faults } = world;
  if (!random.chance(faults.restoreTable)) return;
  const savedMs = random.between(5_000, 45_000);
  timeline.after(savedMs, 'back up', () => {
    const backup = world.table.backUp();
    timeline.after(random.between(20_000, 40_000), 'stop for a restore', () => {
      world.goDown(stopMs + 1);
      timeline.after(stopMs, 'restore', () => {
        world.chunks.restored(doneJobsIn(world.stored));
        world.table.restore(backup);
        world.stream.end(random.between(1, 3));
        world.book.restored();
        world.users.restored();
      });
    });
  });
}

/** Longer than any function still runs. */
const stopMs = 60_000;

export const restoreBugs: readonly Bug[] = [
  {
    name: 'restored-epochs',
    sentence: 'after a restore edges get documents that are older than what they obey',
    load: (cell) => ({ ...cell, edges: new Map([...cell.edges].map(withoutFuture)) }),
  },
];

/** As if no edge could have applied more than the table knows of. */
function withoutFuture([name, edge]: [EdgeName, CellEdge]): [EdgeName, CellEdge] {
  const { report, work } = edge;
  if (report === null || report.progress === null) return [name, edge];
  const epoch = Math.min(report.progress.epoch, work?.epoch ?? 0);
  return [name, { ...edge, report: { ...report, progress: { ...report.progress, epoch } } }];
}
