import type { Cell } from '../../../core/model/cell.ts';
import { Violation } from './truth.ts';

/** Ticks, timers and reports that change nothing come to a tenth of it in a whole life. */
const idleReadsMax = 1_500;

/**
 * Says so when a cell is read again and again and nothing of it is ever committed: somebody wakes
 * it for work that never gets done, and pays for each time.
 */
export function createIdleReads(defect: (error: unknown) => void): (cell: Cell) => Cell {
  let last = '';
  let reads = 0;
  return (cell) => {
    const { id, version } = cell.meta;
    const now = `${id} at version ${version}`;
    reads = now === last ? reads + 1 : 1;
    last = now;
    if (reads > idleReadsMax) defect(new Violation(`cell ${now} was read ${reads} times in a row`));
    return cell;
  };
}
