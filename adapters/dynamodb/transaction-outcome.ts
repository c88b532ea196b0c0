import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { transactAttemptsMax, transactRetryMs } from '../../core/model/limits.ts';

export type TransactOutcome =
  | { readonly kind: 'committed' }
  /** Positions of the writes whose conditions did not hold. */
  | { readonly kind: 'refused'; readonly failed: readonly number[] }
  /** Another transaction touched the same rows at the same time. */
  | { readonly kind: 'conflict' };

/**
 * Sends a transaction and reads what became of it. Throttling and internal failures are tried
 * again, a bounded number of times; a condition that did not hold or a race with another
 * transaction is the caller's to decide about.
 */
export async function transactionOutcome(send: () => Promise<unknown>): Promise<TransactOutcome> {
  let last: unknown;
  for (let attempt = 1; attempt <= transactAttemptsMax; attempt++) {
    if (attempt > 1) await pause(attempt - 1);
    try {
      await send();
      return { kind: 'committed' };
    } catch (error) {
      const outcome = outcomeOf(error);
      if (outcome !== 'retry') return outcome;
      last = error;
    }
  }
  throw last;
}

/**
 * Sends a write of one row: `false` when its condition did not hold. A row that is part of
 * somebody's transaction at this moment is tried again.
 */
export async function writeOutcome(send: () => Promise<unknown>): Promise<boolean> {
  let last: unknown;
  for (let attempt = 1; attempt <= transactAttemptsMax; attempt++) {
    if (attempt > 1) await pause(attempt - 1);
    try {
      await send();
      return true;
    } catch (error) {
      const name = error instanceof Error ? error.name : '';
      if (name === 'ConditionalCheckFailedException') return false;
      if (name !== 'TransactionConflictException') throw error;
      last = error;
    }
  }
  throw last;
}

function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, transactRetryMs * 2 ** attempt));
}

const retried = new Set([
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
]);

function outcomeOf(error: unknown): TransactOutcome | 'retry' {
  if (!(error instanceof Error)) throw error;
  if (error.name === 'TransactionInProgressException') return { kind: 'conflict' };
  if (!isCancellation(error)) throw error;
  const codes = (error.CancellationReasons ?? []).map((reason) => reason.Code ?? 'None');
  const failed = codes.flatMap((code, at) => (code === 'ConditionalCheckFailed' ? [at] : []));
  if (failed.length > 0) return { kind: 'refused', failed };
  if (codes.includes('TransactionConflict')) return { kind: 'conflict' };
  if (codes.some((code) => retried.has(code))) return 'retry';
  throw error;
}

/** By its name: the class is another one where something stands in for the SDK. */
function isCancellation(error: Error): error is TransactionCanceledException {
  return error.name === 'TransactionCanceledException';
}
