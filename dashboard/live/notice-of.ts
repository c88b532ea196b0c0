import type { FeedOptions } from './feed.ts';

/**
 * What of it moves a figure of the fleet: all that matters of jobs and lists of edges; of one edge
 * some, for the page shows when its last contact was; of offers, graphs and what is managed,
 * nothing.
 */
export function noticeOf(path: string): NonNullable<FeedOptions<unknown>['notice']> {
  const [, what = '', name, part] = /^\/v1\/(\w+)(?:\/([^/?]+))?(?:\/(\w+))?/.exec(path) ?? [];
  if (what === 'jobs' || what === 'jobspecs' || what === 'stats') return 'all';
  if (what !== 'edges' || (part !== undefined && part !== 'jobs')) return 'nothing';
  return name === undefined ? 'all' : 'some';
}
