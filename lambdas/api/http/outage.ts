import { ProblemError } from '../../../core/wire/problem.ts';

/**
 * Tells a service that asks for patience from a defect of ours; both are told without their inside.
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
