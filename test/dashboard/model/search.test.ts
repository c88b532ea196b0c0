import { describe, expect, test } from 'vitest';
import type { Edge, Job, Pool, Queue, Schedule } from '../../../core/contract/resources.ts';
import {
  noSources,
  type SearchSources,
  searchHits,
} from '../../../dashboard/model/search/search-hits.ts';
import { hrefOf, parseRoute } from '../../../dashboard/route/route.ts';

const edge = (name: string, pool = 'default', labels = {}) => ({ name, pool, labels }) as Edge;
const job = (id: string, name: string | null, kind = 'batch') =>
  ({ id, name, spec: { kind } }) as Job;

const sources: SearchSources = {
  edges: [edge('edge-10'), edge('edge-2', 'north', { site: 'hill' }), edge('edge-1')],
  jobs: [job('0abc', 'render'), job('0abd', null), job('0abe', 'web', 'service')],
  pools: [{ name: 'north', description: 'the hill' } as Pool],
  queues: [{ name: 'nightly' } as Queue],
  schedules: [{ name: 'survey', cron: '@daily' } as Schedule],
  jobspecs: [{ id: '0spec', name: 'flow', status: { state: 'running' } }],
};

const hrefs = (text: string, max = 30) =>
  searchHits(text, sources, max).map(({ to }) => hrefOf(to));

describe('the search', () => {
  test('without a text leads to the pages', () => {
    const hits = searchHits(' ', sources, 30);
    expect(hits.length).toBeGreaterThan(8);
    expect(new Set(hits.map(({ kind }) => kind))).toEqual(new Set(['page']));
  });

  test.each([
    ['edge-10', ['/edges/edge-10']],
    ['render', ['/jobs/0abc']],
    ['0abd', ['/jobs/0abd']],
    ['web', ['/services/0abe']],
    ['flow', ['/jobspecs/0spec']],
    ['nightly', ['/jobs?queue=nightly']],
    ['SURVEY', ['/schedules/survey']],
    ['audit', ['/audit']],
  ])('%s is found', (text, found) => {
    expect(hrefs(text)).toEqual(found);
  });

  test('what is called so comes before what begins so, and that before the rest', () => {
    expect(hrefs('edge-1')).toEqual(['/edges/edge-1', '/edges/edge-10']);
    expect(hrefs('north')).toEqual(['/?pool=north', '/edges/edge-2']);
    expect(hrefs('site=hill')).toEqual(['/edges/edge-2']);
  });

  test('shows no more than asked for', () => {
    expect(hrefs('e', 3)).toHaveLength(3);
  });

  test('a job that no list holds any more is found by its id; what is no id is not', () => {
    expect(hrefs('0zzzzzzz')).toEqual(['/jobs/0zzzzzzz']);
    expect(hrefs('no such thing')).toEqual([]);
    expect(searchHits('<script>', noSources, 30)).toEqual([]);
  });

  test('every hit leads to a page', () => {
    for (const text of ['', 'e', 'n', '0']) {
      for (const { to } of searchHits(text, sources, 30)) {
        const { pathname, search } = new URL(hrefOf(to), 'http://dashboard');
        expect(parseRoute(pathname, search)).toEqual(to);
      }
    }
  });
});
