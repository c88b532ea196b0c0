import type { CellId } from '../model/names.ts';

/** Where several cells follow a wish one after the other (`turns.ts`). */
export type RolloutTurn = {
  /** Up to this wish the cell may go. */
  readonly wish: number;
  /** The wish has failed in another cell: back to this generation. */
  readonly back?: { readonly to: number; readonly reason: string };
};

/** To whom it was given. */
export type CellTurn = { readonly cell: CellId; readonly turn: RolloutTurn };
