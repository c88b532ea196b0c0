import type { JobEvent } from '../../core/model/job-event.ts';
import { type JobId, timeDigitsOf } from '../../core/model/names.ts';
import type { JobWithStatus } from '../../core/model/stored-job.ts';
import type {
  JobHistory,
  JobLists,
  JobRecords,
  JobsStore,
  StoredChunk,
} from '../../core/ports/jobs.ts';
import { type JobRows, pageOf, rowsOf, type Stored } from './stored.ts';

/** Jobs as the API reads them, in memory. */
export function createMemoryJobs(stored: Stored): JobsStore {
  return { ...records(stored), ...lists(stored), ...history(stored) };
}

function records(stored: Stored): JobRecords {
  const find = (id: JobId): JobWithStatus | null => {
    const { job, status } = stored.jobs.get(id) ?? {};
    return job == null || status == null ? null : { job, status };
  };
  return {
    async find(id) {
      return find(id);
    },
    async findMany(ids) {
      return ids.flatMap((id) => find(id) ?? []);
    },
    async findSpec(id) {
      return stored.jobs.get(id)?.job ?? null;
    },
    async executions(id, after, limit) {
      const rows = stored.jobs.get(id)?.executions.values() ?? [];
      return pageOf(rows, (row) => row.edge, after, limit);
    },
    async cellStatuses(id) {
      return [...(stored.jobs.get(id)?.cells.values() ?? [])];
    },
    async named(pool, name) {
      const jobs = [...stored.jobs.values()].flatMap(({ job }) => {
        const isNamed = job?.spec.pool === pool && job.spec.name === name;
        return isNamed && job.spec.restart !== undefined ? [job.id] : [];
      });
      return { jobs, last: stored.lastNamed.get(`${pool} ${name}`) ?? null };
    },
  };
}

function lists(stored: Stored): JobLists {
  return {
    async listPool(pool, position, limit) {
      const found = [...stored.jobs.values()].flatMap(({ status }) =>
        status?.pool === pool ? [status] : [],
      );
      return found
        .map(({ job, createdAtMs, state, queue, labels }) => {
          return { id: job, position: positionOf(job, createdAtMs), state, queue, labels };
        })
        .sort((a, b) => (a.position < b.position ? 1 : -1))
        .filter((row) => position === null || row.position < position)
        .slice(0, limit);
    },
    async listOfEdge(edge, position, limit) {
      const found = [...stored.jobs].flatMap(([id, { executions }]) => {
        const execution = executions.get(edge);
        if (execution === undefined) return [];
        return [{ id, position: positionOf(id, execution.submittedAtMs) }];
      });
      return found
        .sort((a, b) => (a.position < b.position ? 1 : -1))
        .filter((row) => position === null || row.position < position)
        .slice(0, limit);
    },
    async executionsOn(edge, jobs) {
      return jobs.flatMap((job) => stored.jobs.get(job)?.executions.get(edge) ?? []);
    },
  };
}

function history(stored: Stored): JobHistory {
  return {
    async chunk(id, chunk) {
      const rows = stored.jobs.get(id);
      return rows === undefined ? null : chunkOf(rows, chunk);
    },
    async chunksOf(id, chunks) {
      const rows = stored.jobs.get(id);
      if (rows === undefined) return new Map();
      const found = chunks.flatMap((chunk) => chunkOf(rows, chunk) ?? []);
      return new Map(found.map((it) => [it.chunk, it]));
    },
    async keepOutput(
      id,
      chunk,
      { key, bytes, totalBytes = bytes, headBytes = 0, ...more },
      stream = 'stdout',
    ) {
      const { outputs, errors } = rowsOf(stored, id);
      const kept = stream === 'stderr' ? errors : outputs;
      kept.set(chunk, { key, bytes, totalBytes, headBytes, ...more });
    },
    async keepResult(id, chunk, result) {
      const { results } = rowsOf(stored, id);
      if (results.get(chunk)?.isDone !== true) results.set(chunk, result);
    },
    async results(id, after, limit) {
      const all = [...(stored.jobs.get(id)?.results ?? [])];
      const rest = all
        .filter(([chunk]) => after === null || chunk > after)
        .sort(([a], [b]) => a - b)
        .map(([chunk, result]) => ({ chunk, result }));
      const items = rest.slice(0, limit);
      return { items, next: rest.length > limit ? items.at(-1)!.chunk : null };
    },
    async generations(id) {
      const kept = [...(stored.jobs.get(id)?.generations.values() ?? [])];
      return kept.sort((a, b) => b.generation - a.generation);
    },
    async events(id, position, limit) {
      const events = stored.jobs.get(id)?.events ?? new Map<string, JobEvent>();
      const page = pageOf(events, ([key]) => key, position, limit);
      return page.map(([key, event]) => ({ ...event, position: key }));
    },
  };
}

function chunkOf(rows: JobRows, chunk: number): StoredChunk | null {
  const end = rows.ends.get(chunk) ?? null;
  const output = rows.outputs.get(chunk) ?? null;
  const errors = rows.errors.get(chunk);
  const result = rows.results.get(chunk);
  if (end === null && output === null && errors === undefined && result === undefined) return null;
  return { chunk, end, output, ...(errors && { errors }), ...(result && { result }) };
}

/** Any text that sorts by the time of creation will do. */
function positionOf(id: JobId, createdAtMs: number): string {
  return `${timeDigitsOf(createdAtMs)}-${id}`;
}

export function eventPosition({ atMs, kind }: JobEvent): string {
  return `${String(atMs).padStart(14, '0')}#${kind}`;
}
