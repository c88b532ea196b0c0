import { formatRanges, type RangeSet } from '../../../core/model/ranges.ts';
import type { Row } from '../table.ts';
import { ranges } from './row-values.ts';

type CancelledRanges = { readonly cancelledRanges?: RangeSet };

/**
 * Chunks that the user of a job cancelled while the others go on: the same attribute of what was
 * submitted, of its status, and of what each cell knows of it. Absent where nothing is.
 */
export function encodeCancelledRanges({ cancelledRanges }: CancelledRanges): {
  readonly cancelledRanges?: string;
} {
  return cancelledRanges === undefined ? {} : { cancelledRanges: formatRanges(cancelledRanges) };
}

export function decodeCancelledRanges(row: Row): CancelledRanges {
  return row.cancelledRanges === undefined ? {} : { cancelledRanges: ranges(row.cancelledRanges) };
}
