import type { CellId, EdgeName } from '../model/names.ts';

/** Time, and what is to be looked at when some of it has passed. */
export type Clock = { nowMs(): number };

/** Asks for another look at a cell later than the minute tick would be too late for. */
export type Timers = {
  lookAgain(cell: CellId, atMs: number): Promise<void>;
};

/** Asks for another look at an edge that is on its way out. */
export type EdgeRemovals = {
  lookAt(edge: EdgeName, tries: number, delaySeconds: number): Promise<void>;
};
