import { ProblemError } from '../../../core/contract/problem.ts';
import { type Caller, isBound, seesJob, seesPool, seesQueue } from '../../../core/model/caller.ts';
import { jobKinds, jobStates } from '../../../core/model/job.ts';
import { executionsShownMax, listRowsExaminedMax } from '../../../core/model/limits.ts';
import { edgeNameOf, isName, type JobId, jobIdOf } from '../../../core/model/names.ts';
import type { JobWithStatus } from '../../../core/model/stored-job.ts';
import type { ListedJob } from '../../../core/ports/jobs.ts';
import { namedValue } from '../../../core/protocol/named-values.ts';
import { badQuery, checkQuery, valuesOf } from '../http/call.ts';
import { type AskedPage, askedPage, type Paging, pagingOf } from '../http/cursor.ts';
import { hasLabels, type LabelFilter, labelsOf } from '../http/label-query.ts';
import { pageAnswer, pageOf } from '../http/page.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { jobPositionPattern } from './view/job-position.ts';
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
  readonly kind: string | null;
  readonly labels: LabelFilter;
  readonly edge: string | null;
};

export type JobsAsked = {
  readonly filter: JobFilter;
  readonly paging: Paging;
};

export const listJobs = defineOperation({
  name: 'listJobs',
  read: (call): JobsAsked => {
    checkQuery(call, ['state', 'pool', 'queue', 'kind', 'label', 'edge', 'limit', 'cursor']);
    const { state = null, pool = null, queue = null, kind = null, edge = null } = call.query;
    const words = { state, pool, queue, kind, edge, label: valuesOf(call, 'label') };
    return jobsAsked(words, askedPage(call));
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
type FilterWords = Readonly<Record<'state' | 'pool' | 'queue' | 'kind' | 'edge', string | null>> & {
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
  if (names.kind !== null && !(jobKinds as readonly string[]).includes(names.kind)) {
    throw badQuery('kind', `This must be one of ${jobKinds.join(', ')}.`);
  }
  return {
    filter: { ...names, state, labels: labelsOf(label) },
    paging: pagingOf({ name: 'jobs', position: jobPositionPattern }, words, page),
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
  const source = ofKind(await sourceOf(caller, deps, filter), deps, filter.kind);
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
      const listed = await deps.jobs.listOfEdge(edgeNameOf(edge), position, limit);
      const found = await deps.jobs.findMany(listed.map(({ id }) => id));
      const byId = new Map(found.map((it) => [it.job.id, it]));
      return listed.map((place): ListedJob => {
        const it = byId.get(place.id);
        const seen =
          it !== undefined &&
          seesPool(caller, it.job.spec.pool) &&
          (!isBound(caller) || seesJob(caller, it.job));
        if (!seen) return { ...place, state: 'gone', queue: '', labels: {} };
        const { queue, labels } = it.job.spec;
        return { ...place, state: it.status.state, queue, labels };
      });
    };
  }
  if (isBound(caller)) return ownJobs(caller, deps, await poolSource(caller, deps, filter));
  return poolSource(caller, deps, filter);
}

/** Of who is bound to clusters only what it submitted: the others look as if they were gone. */
function ownJobs(caller: Caller, deps: Pick<Ports, 'jobs'>, source: Source): Source {
  return async (position, limit) => {
    const listed = await source(position, limit);
    const found = await deps.jobs.findMany(listed.map(({ id }) => id));
    const own = new Set(found.flatMap(({ job }) => (seesJob(caller, job) ? [job.id] : [])));
    return listed.map((it): ListedJob => (own.has(it.id) ? it : { ...it, state: 'gone' }));
  };
}

/** The index that lists are read from does not say it: those of another kind look gone. */
function ofKind(source: Source, deps: Pick<Ports, 'jobs'>, kind: string | null): Source {
  if (kind === null) return source;
  return async (position, limit) => {
    const listed = await source(position, limit);
    const found = await deps.jobs.findMany(listed.map(({ id }) => id));
    const alike = new Set(found.flatMap(({ job }) => (job.spec.kind === kind ? [job.id] : [])));
    return listed.map((it): ListedJob => (alike.has(it.id) ? it : { ...it, state: 'gone' }));
  };
}

async function poolSource(
  caller: Caller,
  deps: Pick<Ports, 'jobs' | 'pools'>,
  filter: JobFilter,
): Promise<Source> {
  const limited = caller.kind === 'edge' ? null : caller.pool;
  const only = filter.pool ?? limited;
  const pools = only === null ? await deps.pools.listWithJobs() : [only];
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
