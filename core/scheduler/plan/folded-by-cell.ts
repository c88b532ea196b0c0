import type { Intent, Slice } from '../../model/cell.ts';

/** A job that its user changed, or that others wait for, has a status with several authors. */
export function isFoldedByCell(intent: Intent, slice: Slice): boolean {
  const { cancelled, cancelledRanges, retryEpoch } = intent;
  const isChanged = cancelled || cancelledRanges !== undefined || retryEpoch > 0;
  return intent.foldedByCell && !slice.foldedByRollup && !isChanged;
}
