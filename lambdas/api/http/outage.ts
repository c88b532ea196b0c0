import { ProblemError } from '../../../core/contract/problem.ts';
import { retryAfterSeconds } from '../../limits.ts';

/**
 * Distinguishes a service that is throttled or away, for which the caller retries, from a defect of
 * ours. The answer gives away nothing of either.
 */

const throttled = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'TooManyRequestsException',
  'LimitExceededException',
  'SlowDown',
]);

const unavailable = new Set([
  'TimeoutError',
  'InternalServerError',
  'InternalFailureException',
  'ServiceUnavailableException',
  'InternalError',
  'ServiceUnavailable',
  'TransactionConflictException',
]);

const headers = { 'retry-after': String(retryAfterSeconds) };

export function outageOf(error: unknown): ProblemError {
  const name = error instanceof Error ? error.name : '';
  if (throttled.has(name)) return new ProblemError('too-many-requests', undefined, { headers });
  const code = (error as { code?: unknown } | null)?.code;
  if (unavailable.has(name) || code === 'ECONNREFUSED' || code === 'ECONNRESET') {
    return new ProblemError('temporarily-unavailable', undefined, { headers });
  }
  return new ProblemError('internal-error');
}

/** A change was decided again and again, and others got through each time. */
export function contended(): ProblemError {
  return new ProblemError('temporarily-unavailable', undefined, { headers });
}
