import type { CellId } from '../../../core/model/names.ts';
import { busyCellMs, busyCellMsMax, busyCellsMax } from '../../limits.ts';

/**
 * Cells that this process found busy a moment ago: what it brings to them goes by the stream,
 * without reading the cell first. Each time in a row that a cell is found so it is left alone for
 * twice as long: a cell under load has many rows, and is read whole.
 */
export type BusyCells = {
  has(cell: CellId, nowMs: number): boolean;
  add(cell: CellId, nowMs: number): void;
  /** It was found quiet. */
  remove(cell: CellId): void;
};

export function createBusyCells(keptMs = busyCellMs): BusyCells {
  const found = new Map<CellId, { readonly atMs: number; readonly forMs: number }>();
  return {
    has(cell, nowMs) {
      const it = found.get(cell);
      return it !== undefined && nowMs >= it.atMs && nowMs < it.atMs + it.forMs;
    },
    add(cell, nowMs) {
      const before = found.get(cell);
      if (before === undefined && found.size >= busyCellsMax) found.clear();
      const forMs = before === undefined ? keptMs : Math.min(2 * before.forMs, busyCellMsMax);
      found.set(cell, { atMs: nowMs, forMs });
    },
    remove(cell) {
      found.delete(cell);
    },
  };
}
