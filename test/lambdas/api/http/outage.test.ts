import { expect, test } from 'vitest';
import { outageOf } from '../../../../lambdas/api/http/outage.ts';

/** By the names under which the services of AWS, and the way there, say so. */
test.each([
  ['ThrottlingException', 'too-many-requests'],
  ['ProvisionedThroughputExceededException', 'too-many-requests'],
  ['LimitExceededException', 'too-many-requests'],
  ['SlowDown', 'too-many-requests'],
  ['TimeoutError', 'temporarily-unavailable'],
  ['InternalServerError', 'temporarily-unavailable'],
  ['InternalFailureException', 'temporarily-unavailable'],
  ['ServiceUnavailableException', 'temporarily-unavailable'],
  ['InternalError', 'temporarily-unavailable'],
  ['ServiceUnavailable', 'temporarily-unavailable'],
  ['AccessDenied', 'internal-error'],
  ['TypeError', 'internal-error'],
])('%s is answered as %s', (name, code) => {
  const problem = outageOf(Object.assign(new Error('of ours'), { name }));
  expect(problem.code).toBe(code);
  expect(problem.message).not.toContain('of ours');
});

test.each(['ECONNREFUSED', 'ECONNRESET'])('%s is answered as an outage', (code) => {
  expect(outageOf(Object.assign(new Error(), { code })).code).toBe('temporarily-unavailable');
});
