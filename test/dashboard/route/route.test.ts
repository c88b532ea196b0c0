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
    const jobView = fc.record({ sort: text, at: fc.integer({ min: 1, max: 9 }), chunks: text });
    const route: fc.Arbitrary<Route> = fc.oneof(
      fc.record({
        page: fc.constant('fleet' as const),
        filter: fc.record({ status: text, pool: text, q: text, view }),
      }),
      fc.record({ page: fc.constant('jobs' as const), filter }),
      fc.record({ page: fc.constant('job' as const), id: name }),
      fc.record({ page: fc.constant('job' as const), id: name, view: jobView }),
      fc.record({ page: fc.constant('edge' as const), name }),
      fc.record({ page: fc.constant('submit' as const), like: name }),
      fc.record({ page: fc.constant('services' as const), pool: text }),
      fc.record({ page: fc.constant('service' as const), id: name }),
      fc.record({ page: fc.constant('jobspecs' as const), pool: text }),
      fc.record({ page: fc.constant('jobspec' as const), id: name }),
      fc.record({ page: fc.constant('schedules' as const), pool: text }),
      fc.record({ page: fc.constant('schedule' as const), name }),
      fc.record({
        page: fc.constant('audit' as const),
        filter: fc.record({ span: text, q: text }),
      }),
      fc.constantFrom('pools' as const, 'queues' as const, 'tokens' as const).map((page) => ({
        page,
      })),
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

  test('the page of the edges of a job is a number of an address', () => {
    for (const at of ['-1', 'x', '0', '1e999', 'NaN']) {
      const route = parse(`/jobs/a?sort=failed&at=${at}`);
      const wanted = at === '1e999' ? 99_999 : 0;
      expect(route).toEqual({
        page: 'job',
        id: 'a',
        view: { sort: 'failed', at: wanted, chunks: '' },
      });
    }
  });

  test('addresses that are no page say so', () => {
    expect(parse('/settings')).toEqual({ page: 'missing' });
    expect(parse('/pools/north')).toEqual({ page: 'missing' });
    expect(parse('/jobs/a/b')).toEqual({ page: 'missing' });
    expect(parse('/jobs/%E0%A4%A')).toEqual({ page: 'job', id: '%E0%A4%A' });
  });

  test('the server filters what it can, the page looks for the text', () => {
    const filter = { ...noJobsFilter, state: 'failed', label: 'team=a', q: 'render' };
    expect(jobsPath(filter)).toBe('/v1/jobs?state=failed&label=team%3Da');
  });
});
