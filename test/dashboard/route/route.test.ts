import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  hrefOf,
  jobsPath,
  noFleetFilter,
  noJobsFilter,
  parseRoute,
  type Route,
} from '../../../dashboard/route/route.ts';

const parse = (href: string): Route => {
  const url = new URL(href, 'http://dashboard');
  return parseRoute(url.pathname, url.search);
};

describe('routes', () => {
  test('every route survives its own address', () => {
    const text = fc.string({ maxLength: 40, unit: 'grapheme' }).map((s) => s.toWellFormed());
    const name = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
    const filter = fc.record({
      state: text,
      pool: text,
      queue: text,
      label: text,
      edge: text,
      q: text,
    });
    const view = fc.constantFrom('cells', 'table') as fc.Arbitrary<'cells' | 'table'>;
    const route: fc.Arbitrary<Route> = fc.oneof(
      fc.record({
        page: fc.constant('fleet' as const),
        filter: fc.record({ lamp: text, pool: text, q: text, view }),
      }),
      fc.record({ page: fc.constant('jobs' as const), filter }),
      fc.record({ page: fc.constant('job' as const), id: name }),
      fc.record({ page: fc.constant('edge' as const), name }),
      fc.record({ page: fc.constant('submit' as const), like: name }),
      fc.constant({ page: 'tokens' as const }),
    );
    fc.assert(
      fc.property(route, (one) => {
        expect(parse(hrefOf(one))).toEqual(one);
      }),
    );
  });

  test('an empty filter leaves a clean address', () => {
    expect(hrefOf({ page: 'jobs', filter: noJobsFilter })).toBe('/jobs');
    expect(hrefOf({ page: 'fleet', filter: noFleetFilter })).toBe('/');
  });

  test('addresses that are no page say so', () => {
    expect(parse('/settings')).toEqual({ page: 'missing' });
    expect(parse('/jobs/a/b')).toEqual({ page: 'missing' });
    expect(parse('/jobs/%E0%A4%A')).toEqual({ page: 'job', id: '%E0%A4%A' });
  });

  test('the server filters what it can, the page looks for the text', () => {
    const filter = { ...noJobsFilter, state: 'failed', label: 'team=a', q: 'render' };
    expect(jobsPath(filter)).toBe('/v1/jobs?state=failed&label=team%3Da');
  });
});
