import type { JobStatus } from '../../core/job-status.ts';
import { jobListShards } from '../../core/limits.ts';
import {
  type CellId,
  type EdgeName,
  isTimeId,
  type JobId,
  timeDigitsOf,
} from '../../core/names.ts';
import type { ChunkEnd, Execution, JobCellStatus } from '../../core/plan.ts';
import type { RangeSet } from '../../core/ranges.ts';
import { askOf, type StoredJob } from '../../core/stored-job.ts';
import {
  chunkKey,
  chunkPrefix,
  dependantKey,
  edgeJobsListKey,
  eventPrefix,
  executionKey,
  executionPrefix,
  jobCellPrefix,
  jobListPartition,
  jobPartition,
  listIndexName,
  specKey,
  statusKey,
} from './keys.ts';
import { transactPatiently } from './patient-transaction.ts';
import { json, text } from './row-values.ts';
import {
  decodeChunkEnd,
  decodeExecution,
  decodeJobCell,
  decodeStatus,
  encodeStatus,
} from './rows-job.ts';
import { encodeAsk } from './rows-share.ts';
import { decodeSpec, encodeSpec } from './rows-spec.ts';
import type { Row, Table, Write } from './table.ts';

/** Jobs as the API sees them: specs with their statuses, executions, chunks, and lists of them. */
export type JobWithStatus = { readonly job: StoredJob; readonly status: JobStatus };

export type NewJob = {
  readonly job: StoredJob;
  readonly status: JobStatus;
  readonly shares: ReadonlyMap<CellId, RangeSet>;
  /** Jobs it waits for, which must not have ended when it is stored. */
  readonly openParents: readonly JobId[];
  /** Written in the same transaction. */
  readonly also: readonly Write[];
};

/**
 * `id-taken`, `also-refused` (one of the extra writes) or `parent-ended`; nothing was stored then.
 */
export type CreateOutcome = 'created' | 'id-taken' | 'also-refused' | 'parent-ended';

/** A row of the list index: enough to filter by without reading the job. */
export type ListedJob = {
  readonly id: JobId;
  readonly position: string;
  readonly state: string;
  readonly queue: string;
  readonly labels: Readonly<Record<string, string>>;
};

export type StoredChunk = {
  readonly chunk: number;
  readonly end: ChunkEnd | null;
  readonly output: { readonly key: string; readonly bytes: number } | null;
};

export type StoredEvent = {
  readonly position: string;
  readonly atMs: number;
  readonly kind: string;
  readonly by: string;
  readonly detail: string;
};

const absent = { expression: 'attribute_not_exists(#pk)' };
const open = {
  expression: '#state IN (:waiting, :pending, :scheduled, :running)',
  values: { waiting: 'waiting', pending: 'pending', scheduled: 'scheduled', running: 'running' },
};

export type JobsStore = ReturnType<typeof createJobsStore>;

export function createJobsStore(table: Table) {
  return {
    async create(made: NewJob): Promise<CreateOutcome> {
      const writes = [...creationWrites(made), ...made.also];
      const first = writes.length - made.also.length;
      const firstParent = first - made.openParents.length;
      const outcome = await transactPatiently(table, writes);
      if (outcome.kind === 'committed') return 'created';
      if (outcome.failed.some((at) => at >= first)) return 'also-refused';
      return outcome.failed.some((at) => at >= firstParent) ? 'parent-ended' : 'id-taken';
    },

    async find(id: JobId): Promise<JobWithStatus | null> {
      const rows = await table.getMany([specKey(id), statusKey(id)]);
      return joined(rows, id);
    },

    async findMany(ids: readonly JobId[]): Promise<JobWithStatus[]> {
      const rows = await table.getMany(ids.flatMap((id) => [specKey(id), statusKey(id)]));
      const byPartition = Map.groupBy(rows, (row) => row.pk);
      return ids.flatMap((id) => joined(byPartition.get(jobPartition(id)) ?? [], id) ?? []);
    },

    async findSpec(id: JobId): Promise<StoredJob | null> {
      const row = await table.get(specKey(id));
      return row === null ? null : decodeSpec(row);
    },

    /** Jobs of a pool, newest first, from just before `position`. */
    async listPool(pool: string, position: string | null, limit: number): Promise<ListedJob[]> {
      const shards = Array.from({ length: jobListShards }, (_, shard) => shard);
      const pages = await Promise.all(
        shards.map((shard) => {
          const listPk = jobListPartition(pool, shard);
          const after = position === null ? {} : { after: startOf(listPk, position) };
          return table.query({
            pk: listPk,
            index: listIndexName,
            backwards: true,
            limit,
            ...after,
          });
        }),
      );
      return pages
        .flatMap((page) => page.rows.map(decodeListed))
        .sort((a, b) => (a.position < b.position ? 1 : -1))
        .slice(0, limit);
    },

    /** Jobs that an edge ran or runs, newest first. */
    async listOfEdge(edge: EdgeName, position: string | null, limit: number): Promise<JobId[]> {
      const { listPk } = edgeJobsListKey(edge, '' as JobId);
      const after =
        position === null
          ? {}
          : { after: { ...executionKey(position as JobId, edge), listPk, listSk: position } };
      const page = await table.query({
        pk: listPk,
        index: listIndexName,
        backwards: true,
        limit,
        ...after,
      });
      return page.rows.map((row) => row.listSk as JobId);
    },

    async executionsOn(edge: EdgeName, jobs: readonly JobId[]): Promise<Execution[]> {
      return (await table.getMany(jobs.map((job) => executionKey(job, edge)))).map(decodeExecution);
    },

    async executions(id: JobId, after: string | null, limit: number): Promise<Execution[]> {
      const start = after === null ? {} : { after: executionKey(id, after as EdgeName) };
      const pk = jobPartition(id);
      const page = await table.query({ pk, skPrefix: executionPrefix, limit, ...start });
      return page.rows.map(decodeExecution);
    },

    async cellStatuses(id: JobId): Promise<JobCellStatus[]> {
      const rows = await table.queryAll({
        pk: jobPartition(id),
        skPrefix: jobCellPrefix,
        consistent: true,
      });
      return rows.map(decodeJobCell);
    },

    async chunk(id: JobId, chunk: number): Promise<StoredChunk | null> {
      const row = await table.get(chunkKey(id, chunk));
      return row === null ? null : decodeChunk(row);
    },

    /** What is stored of these chunks: only of those that failed or left an output. */
    async chunksOf(id: JobId, chunks: readonly number[]): Promise<Map<number, StoredChunk>> {
      const rows = await table.getMany(chunks.map((chunk) => chunkKey(id, chunk)));
      return new Map(rows.map(decodeChunk).map((stored) => [stored.chunk, stored]));
    },

    /** The timeline, oldest first. */
    async events(id: JobId, position: string | null, limit: number): Promise<StoredEvent[]> {
      const pk = jobPartition(id);
      const start = position === null ? {} : { after: { pk, sk: `${eventPrefix}${position}` } };
      const page = await table.query({ pk, skPrefix: eventPrefix, limit, ...start });
      return page.rows.map(decodeEvent);
    },

    async keepOutput(id: JobId, chunk: number, key: string, bytes: number): Promise<void> {
      await table.update(chunkKey(id, chunk), { set: { outputKey: key, outputBytes: bytes } });
    },
  };
}

function creationWrites(made: NewJob): Write[] {
  const { job, status, shares, openParents } = made;
  const ask = askOf(job, status.held);
  return [
    { kind: 'put', row: encodeSpec(job), condition: absent },
    { kind: 'put', row: { ...encodeStatus(status), listSk: positionOf(job.id, job.createdAtMs) } },
    ...[...shares].map(
      ([cell, ranges]): Write => ({ kind: 'put', row: encodeAsk(cell, job.id, ask, ranges) }),
    ),
    ...openParents.map((it): Write => ({ kind: 'put', row: dependantKey(it, job.id) })),
    ...openParents.map((it): Write => ({ kind: 'check', key: statusKey(it), condition: open })),
  ];
}

/** Jobs lie in the order of their creation; an id that a user chose is put behind its time. */
export function positionOf(id: JobId, createdAtMs: number): string {
  return isTimeId(id) ? id : `${timeDigitsOf(createdAtMs)}-${id}`;
}

const chosenPosition = /^[0-9a-z]{9}-(.+)$/;

function jobOfPosition(position: string): JobId {
  return (chosenPosition.exec(position)?.[1] ?? position) as JobId;
}

function startOf(listPk: string, position: string) {
  return { ...statusKey(jobOfPosition(position)), listPk, listSk: position };
}

function joined(rows: readonly Row[], id: JobId): JobWithStatus | null {
  const spec = rows.find((row) => row.sk === specKey(id).sk);
  const status = rows.find((row) => row.sk === statusKey(id).sk);
  if (spec === undefined || status === undefined) return null;
  return { job: decodeSpec(spec), status: decodeStatus(status) };
}

function decodeListed(row: Row): ListedJob {
  const position = text(row.listSk);
  return {
    id: jobOfPosition(position),
    position,
    state: text(row.state),
    queue: text(row.queue),
    labels: json(row.labels, {}),
  };
}

function decodeChunk(row: Row): StoredChunk {
  const key = row.outputKey;
  return {
    chunk: Number(row.sk.slice(chunkPrefix.length)),
    end: decodeChunkEnd(row),
    output: typeof key === 'string' ? { key, bytes: Number(row.outputBytes ?? 0) } : null,
  };
}

function decodeEvent(row: Row): StoredEvent {
  const position = row.sk.slice(eventPrefix.length);
  return {
    position,
    atMs: Number(position.slice(0, 14)),
    kind: text(row.kind),
    by: text(row.by),
    detail: text(row.detail),
  };
}
