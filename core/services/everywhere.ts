import { type CellId, indexOfCell } from '../model/names.ts';
import { seatsPerCell } from './limits.ts';

/**
 * A service of which each edge that matches has one instance, those that join later too. Numbers
 * are given in the order of joining and stay with the edge.
 */
export type Everywhere = {
  /** When it is over: when all edges of now are done, or never. */
  readonly until: Until;
  /** Cordoned edges get theirs, too. */
  readonly onCordoned: boolean;
};

export const untils = ['all-now', 'forever'] as const;
export type Until = (typeof untils)[number];

/** The numbers that a cell may give, so that no two cells give the same. */
export function seatsOfCell(cell: CellId): readonly [first: number, beyond: number] {
  const first = indexOfCell(cell) * seatsPerCell;
  return [first, first + seatsPerCell];
}

type Spreading = {
  readonly spec: {
    readonly everywhere?: Everywhere;
    readonly requires: { readonly edges: readonly unknown[] };
  };
  readonly cancelled: boolean;
};

/** Whether it is to come to cells of its pool that have not got it yet. */
export function isSpread({ spec: { everywhere, requires }, cancelled }: Spreading): boolean {
  if (everywhere === undefined || cancelled) return false;
  return everywhere.until === 'forever' && requires.edges.length === 0;
}
