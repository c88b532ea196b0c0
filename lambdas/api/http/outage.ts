import { ProblemError } from '../../../core/contract/problem.ts';

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

const retryAfterSeconds = 1;

export function outageOf(error: unknown): ProblemError {
  const name = error instanceof Error ? error.name : '';
  const headers = { 'retry-after': String(retryAfterSeconds) };
  if (throttled.has(name)) return new ProblemError('too-many-requests', undefined, { headers });
  const code = (error as { code?: unknown } | null)?.code;
  if (unavailable.has(name) || code === 'ECONNREFUSED' || code === 'ECONNRESET') {
    return new ProblemError('temporarily-unavailable', undefined, { headers });
  }
  return new ProblemError('internal-error');
}
