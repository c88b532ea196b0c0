import { conflictAttemptsMax, conflictWaitMsMax } from '../../core/model/limits.ts';
import type { Table, Write } from './table.ts';

/**
 * A transaction that is tried again, after a short wait, when another one holds the same rows; a
 * bounded number of times. Only a failed condition is left for the caller to decide about.
 */
export type SettledOutcome =
  | { readonly kind: 'committed' }
  | { readonly kind: 'refused'; readonly failed: readonly number[] };

export async function transactWithRetry(
  table: Table,
  writes: readonly Write[],
): Promise<SettledOutcome> {
  for (let attempt = 1; attempt <= conflictAttemptsMax; attempt++) {
    const outcome = await table.transact(writes);
    if (outcome.kind !== 'conflict') return outcome;
    const waitMs = Math.random() * Math.min(conflictWaitMsMax, 2 ** attempt);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  throw new ContendedRows();
}

/** Too many requests at the same rows: answered to the user as a reason to try again. */
export class ContendedRows extends Error {
  override readonly name = 'TransactionConflictException';
}
