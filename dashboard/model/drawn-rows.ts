import { drawnWholeMax } from '../limits.ts';

/**
 * Which rows of a long list are drawn: those on the screen and a few around them. Pure. A list that
 * is below the screen, or was scrolled past, has its nearest rows, and never fewer than none.
 */
export type Rows = { readonly from: number; readonly to: number };

export function drawnRows(seen: Rows, total: number, around: number): Rows {
  if (total <= drawnWholeMax) return { from: 0, to: total };
  const from = Math.min(Math.max(0, seen.from), total - around);
  return { from, to: Math.min(Math.max(seen.to, from + around), total) };
}
