import { jobStates } from '../../../core/contract/job-answer.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import { type Caller, seesPool, seesQueue } from '../../../core/model/caller.ts';
import { executionsShownMax, listRowsExaminedMax } from '../../../core/model/limits.ts';
import { edgeNameOf, isName, type JobId, jobIdOf, namePattern } from '../../../core/model/names.ts';
import type { JobWithStatus } from '../../../core/model/stored-job.ts';
import type { ListedJob } from '../../../core/ports/jobs.ts';
import { namedValue } from '../../../core/protocol/named-values.ts';
import { badQuery, checkQuery, valuesOf } from '../http/call.ts';
import { type AskedPage, askedPage, type Paging, pagingOf } from '../http/cursor.ts';
import { hasLabels, type LabelFilter, labelsOf } from '../http/label-query.ts';
import { pageAnswer, pageOf } from '../http/page.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { jobView } from './view/job-view.ts';

/**
 * `GET /v1/jobs`: newest first, by pool, state, queue, label and edge. Reads an index that is
 * spread over partitions and merged here; a filter looks at a bounded number of rows, and the
 * cursor goes on behind the last one looked at.
 */
export type JobFilter = {
  readonly pool: string | null;
  readonly state: string | null;
  readonly queue: string | null;
  readonly labels: LabelFilter;
  readonly edge: string | null;
};

export type JobsAsked = {
  readonly filter: JobFilter;
  readonly paging: Paging;
};

/** An id that sorts by its time, or a chosen one behind the time of its job. */
const positionPattern = new RegExp(
  `^([0-9a-z]{18}|[0-9a-z]{9}-${namePattern.source.slice(1, -1)})$`,
);

export const listJobs = defineOperation({
  name: 'listJobs',
  read: (call): JobsAsked => {
    checkQuery(call, ['state', 'pool', 'queue', 'label', 'edge', 'limit', 'cursor']);
    const { state = null, pool = null, queue = null, edge = null } = call.query;
    return jobsAsked({ state, pool, queue, edge, label: valuesOf(call, 'label') }, askedPage(call));
  },
  run: async ({ filter, paging }, { caller }, deps: Pick<Ports, 'jobs' | 'pools'>) => {
    const page = await pageOfJobs(caller, deps, filter, paging);
    const found = await deps.jobs.findMany([...page.positions.keys()]);
    const items = await Promise.all(
      found.map(async (it) => jobView(it, await executionsOf(deps, it))),
    );
    return pageOf(paging, items, ({ id }) => page.positions.get(jobIdOf(id))!, page.next);
  },
  answer: pageAnswer,
});

/** The words of a filter as they were given, each of which may make no sense. */
type FilterWords = Readonly<Record<'state' | 'pool' | 'queue' | 'edge', string | null>> & {
  readonly label: readonly string[];
};

export function jobsAsked(words: FilterWords, page: AskedPage): JobsAsked {
  const { state, label, ...names } = words;
  for (const [name, value] of Object.entries(names)) {
    if (value !== null && !isName(value)) throw badQuery(name, 'This cannot be a name.');
  }
  if (state !== null && !(jobStates as readonly string[]).includes(state)) {
    throw badQuery('state', `This must be one of ${jobStates.join(', ')}.`);
  }
  const position = names.edge === null ? positionPattern : namePattern;
  return {
    filter: { ...names, state, labels: labelsOf(label) },
    paging: pagingOf({ name: 'jobs', position }, words, page),
  };
}

/** A job that no edge was ever given has none; lists of waiting jobs need not ask for each. */
async function executionsOf(deps: Pick<Ports, 'jobs'>, { job, status }: JobWithStatus) {
  const { scheduled, running, done, dead } = status.counts;
  if (scheduled + running + done + dead === 0 && status.startedAtMs === null) return [];
  return deps.jobs.executions(job.id, null, executionsShownMax);
}

/** The ids of a page, each with the position behind it. */
type JobPage = {
  readonly positions: ReadonlyMap<JobId, string>;
  readonly next: string | null;
};

/** One page. Only what the caller may see is ever looked at. */
async function pageOfJobs(
  caller: Caller,
  deps: Pick<Ports, 'jobs' | 'pools'>,
  filter: JobFilter,
  { position: start, limit }: Paging,
): Promise<JobPage> {
  if (filter.pool !== null && !seesPool(caller, filter.pool)) throw new ProblemError('forbidden');
  if (filter.queue !== null && !seesQueue(caller, filter.queue))
    throw new ProblemError('forbidden');
  const source = await sourceOf(caller, deps, filter);
  const positions = new Map<JobId, string>();
  let position = start;
  for (let examined = 0; examined < listRowsExaminedMax; ) {
    const rows = await source(position, limit + 1);
    for (const row of rows) {
      if (positions.size === limit) return { positions, next: position };
      position = row.position;
      if (seesQueue(caller, row.queue) && passes(row, filter)) positions.set(row.id, position);
    }
    examined += rows.length;
    if (rows.length <= limit) return { positions, next: null };
  }
  return { positions, next: position };
}

type Source = (position: string | null, limit: number) => Promise<readonly ListedJob[]>;

async function sourceOf(
  caller: Caller,
  deps: Pick<Ports, 'jobs' | 'pools'>,
  filter: JobFilter,
): Promise<Source> {
  const { edge } = filter;
  if (edge !== null) {
    return async (position, limit) => {
      const ids = await deps.jobs.listOfEdge(edgeNameOf(edge), position, limit);
      const byId = new Map((await deps.jobs.findMany(ids)).map((it) => [it.job.id, it]));
      return ids.map((id): ListedJob => {
        const it = byId.get(id);
        const seen = it !== undefined && seesPool(caller, it.job.spec.pool);
        if (!seen) return { id, position: id, state: 'gone', queue: '', labels: {} };
        const { state } = it.status;
        return { id, position: id, state, queue: it.job.spec.queue, labels: it.job.spec.labels };
      });
    };
  }
  const limited = caller.kind === 'token' ? caller.pool : null;
  const only = filter.pool ?? limited;
  const pools = only === null ? await deps.pools.list() : [only];
  return async (position, limit) => {
    const lists = await Promise.all(pools.map((pool) => deps.jobs.listPool(pool, position, limit)));
    const merged = lists.flat().sort((a, b) => (a.position < b.position ? 1 : -1));
    return merged.slice(0, limit);
  };
}

function passes(row: ListedJob, filter: JobFilter): boolean {
  if (row.state === 'gone') return false;
  if (filter.state !== null && row.state !== filter.state) return false;
  if (filter.queue !== null && row.queue !== filter.queue) return false;
  return hasLabels(filter.labels, (key) => namedValue(row.labels, key));
}
