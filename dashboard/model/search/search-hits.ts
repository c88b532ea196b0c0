import type { Edge, Job, Pool, Queue, Schedule } from '../../../core/contract/resources.ts';
import { namePattern } from '../../../core/model/names.ts';
import {
  type JobsFilter,
  noAuditFilter,
  noFleetFilter,
  noJobsFilter,
  type Route,
} from '../../route/route.ts';
import { natural } from '../fleet-summary.ts';

/** Finds pages and things by what somebody types. Pure. */
export type SearchHit = {
  readonly kind: string;
  readonly title: string;
  /** What tells it from others of its name. */
  readonly detail: string;
  readonly to: Route;
};

export type SearchSources = {
  readonly jobs: readonly Job[];
  readonly edges: readonly Edge[];
  readonly pools: readonly Pool[];
  readonly queues: readonly Queue[];
  readonly schedules: readonly Schedule[];
  readonly jobspecs: readonly ListedJobspec[];
};

export type ListedJobspec = {
  readonly id: string;
  readonly name: string | null;
  readonly status: { readonly state: string };
};

export const noSources: SearchSources = {
  ...{ jobs: [], edges: [], pools: [], queues: [], schedules: [], jobspecs: [] },
};

const jobsOf = (filter: Partial<JobsFilter>): Route => ({
  page: 'jobs',
  filter: { ...noJobsFilter, ...filter },
});

const pages: readonly (readonly [title: string, to: Route])[] = [
  ['Fleet', { page: 'fleet', filter: noFleetFilter }],
  ['Edges as a table', { page: 'fleet', filter: { ...noFleetFilter, view: 'table' } }],
  ['Jobs', jobsOf({})],
  ['Failed jobs', jobsOf({ state: 'failed' })],
  ['Services', { page: 'services', pool: '' }],
  ['Schedules', { page: 'schedules', pool: '' }],
  ['Jobspecs', { page: 'jobspecs', pool: '' }],
  ['Submit a job', { page: 'submit', like: '' }],
  ['Pools', { page: 'pools' }],
  ['Queues', { page: 'queues' }],
  ['Tokens', { page: 'tokens' }],
  ['Audit', { page: 'audit', filter: noAuditFilter }],
];

/** The best first: what is called so, then what begins so, then what has it anywhere. */
export function searchHits(text: string, sources: SearchSources, hitsMax: number): SearchHit[] {
  const wanted = text.trim().toLowerCase();
  const ranked: { rank: number; hit: SearchHit }[] = [];
  for (const hit of candidates(sources)) {
    const rank = rankOf(wanted, hit);
    if (rank !== null) ranked.push({ rank, hit });
  }
  ranked.sort((a, b) => a.rank - b.rank || natural(a.hit.title, b.hit.title));
  const hits = ranked.slice(0, hitsMax).map(({ hit }) => hit);
  return hits.length > 0 ? hits : olderJob(wanted);
}

/** Lists hold the newest jobs; an older one is found by its id. */
function olderJob(wanted: string): SearchHit[] {
  if (!namePattern.test(wanted)) return [];
  const to = { page: 'job', id: wanted } as const;
  return [{ kind: 'job', title: wanted, detail: 'look for a job with this id', to }];
}

/** Without a text pages come first, so that nobody has to know what there is. */
function rankOf(wanted: string, { kind, title, detail }: SearchHit): number | null {
  if (wanted === '') return kind === 'page' ? 0 : null;
  const name = title.toLowerCase();
  if (name === wanted || detail.toLowerCase() === wanted) return 0;
  if (name.startsWith(wanted)) return 1;
  if (name.includes(wanted)) return 2;
  return detail.toLowerCase().includes(wanted) ? 3 : null;
}

function* candidates(sources: SearchSources): Generator<SearchHit> {
  for (const [title, to] of pages) yield { kind: 'page', title, detail: '', to };
  for (const { name, pool, labels } of sources.edges) {
    const words = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
    const detail = [pool, ...words].join(' ');
    yield { kind: 'edge', title: name, detail, to: { page: 'edge', name } };
  }
  for (const { id, name, spec } of sources.jobs) {
    const isBatch = spec.kind === 'batch';
    const to = { page: isBatch ? 'job' : 'service', id } as const;
    yield { kind: isBatch ? 'job' : 'service', title: name ?? id, detail: id, to };
  }
  for (const { id, name } of sources.jobspecs) {
    yield { kind: 'jobspec', title: name ?? id, detail: id, to: { page: 'jobspec', id } };
  }
  for (const { name, description } of sources.pools) {
    const to = { page: 'fleet', filter: { ...noFleetFilter, pool: name } } as const;
    yield { kind: 'pool', title: name, detail: description, to };
  }
  for (const { name } of sources.queues) {
    yield { kind: 'queue', title: name, detail: '', to: jobsOf({ queue: name }) };
  }
  for (const { name, cron } of sources.schedules) {
    yield { kind: 'schedule', title: name, detail: cron ?? '', to: { page: 'schedule', name } };
  }
}
