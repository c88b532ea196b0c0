import { jobListShards } from '../../core/model/limits.ts';
import {
  type CellId,
  cellIdOf,
  type EdgeName,
  edgeNameOf,
  type JobId,
  jobIdOf,
  parseCellId,
  parseJobId,
} from '../../core/model/names.ts';
import { cellRows, edgeRows, jobRows, lists, partitions, poolRows, statsRows } from './schema.ts';

/** Which row lies where: the keys of every row, made of the beginnings that the schema names. */
export type Key = { readonly pk: string; readonly sk: string };

/** The keys by which a row is in the list index. */
export type ListKey = { readonly listPk: string; readonly listSk: string };

export function cellPartition(cell: CellId): string {
  return `${partitions.cell}${cell}`;
}

/** `null` for a partition that is not a cell's. */
export function cellOfPartition(pk: string): CellId | null {
  return pk.startsWith(partitions.cell) ? parseCellId(pk.slice(partitions.cell.length)) : null;
}

/** The cell whose partition the row lies in. */
export function cellOfRow({ pk }: Key): CellId {
  return cellIdOf(pk.slice(partitions.cell.length));
}

export function metaKey(cell: CellId): Key {
  return { pk: cellPartition(cell), sk: cellRows.meta };
}

export function tickKey(cell: CellId): Key {
  return { pk: cellPartition(cell), sk: cellRows.tick };
}

export function edgeKey(cell: CellId, edge: EdgeName): Key {
  return { pk: cellPartition(cell), sk: `${cellRows.edge}${edge}` };
}

export function factsKey(cell: CellId, edge: EdgeName): Key {
  return { pk: cellPartition(cell), sk: `${cellRows.facts}${edge}` };
}

export function reportKey(cell: CellId, edge: EdgeName): Key {
  return { pk: cellPartition(cell), sk: `${cellRows.report}${edge}` };
}

export function workKey(cell: CellId, edge: EdgeName): Key {
  return { pk: cellPartition(cell), sk: `${cellRows.work}${edge}` };
}

export function intentKey(cell: CellId, job: JobId): Key {
  return { pk: cellPartition(cell), sk: `${cellRows.intent}${job}` };
}

export function sliceKey(cell: CellId, job: JobId): Key {
  return { pk: cellPartition(cell), sk: `${cellRows.slice}${job}` };
}

/** The cell's own copy of a queue's settings. */
export function cellQueueKey(cell: CellId, queue: string): Key {
  return { pk: cellPartition(cell), sk: `${cellRows.queue}${queue}` };
}

export function jobPartition(job: JobId): string {
  return `${partitions.job}${job}`;
}

export function jobOfPartition(pk: string): JobId | null {
  return pk.startsWith(partitions.job) ? parseJobId(pk.slice(partitions.job.length)) : null;
}

/** The job whose partition the row lies in. */
export function jobOfRow({ pk }: Key): JobId {
  return jobIdOf(pk.slice(partitions.job.length));
}

export function specKey(job: JobId): Key {
  return { pk: jobPartition(job), sk: jobRows.spec };
}

export function statusKey(job: JobId): Key {
  return { pk: jobPartition(job), sk: jobRows.status };
}

export function jobCellKey(job: JobId, cell: CellId): Key {
  return { pk: jobPartition(job), sk: `${jobRows.cell}${cell}` };
}

export function executionKey(job: JobId, edge: EdgeName): Key {
  return { pk: jobPartition(job), sk: `${jobRows.execution}${edge}` };
}

/** Chunk numbers are padded, so that the rows lie in the order of the numbers. */
export function chunkKey(job: JobId, chunk: number): Key {
  return { pk: jobPartition(job), sk: `${jobRows.chunk}${String(chunk).padStart(8, '0')}` };
}

/** The kind is part of the key: the same event written twice is one row. */
export function eventKey(job: JobId, atMs: number, kind: string): Key {
  return { pk: jobPartition(job), sk: `${jobRows.event}${String(atMs).padStart(14, '0')}#${kind}` };
}

/** Lies in the partition of the job that is waited for. */
export function dependantKey(parent: JobId, child: JobId): Key {
  return { pk: jobPartition(parent), sk: `${jobRows.dependant}${child}` };
}

export function pointerKey(edge: EdgeName): Key {
  return { pk: `${partitions.edge}${edge}`, sk: edgeRows.pointer };
}

export function edgeOfPartition(pk: string): EdgeName {
  return edgeNameOf(pk.slice(partitions.edge.length));
}

/** All facts of an edge, bulky, outside its cell. */
export function edgeFactsKey(edge: EdgeName): Key {
  return { pk: `${partitions.edge}${edge}`, sk: edgeRows.facts };
}

export function poolKey(pool: string): Key {
  return { pk: `${partitions.pool}${pool}`, sk: poolRows.pool };
}

export function poolCellKey(pool: string, cell: CellId): Key {
  return { pk: `${partitions.pool}${pool}`, sk: `${poolRows.cell}${cell}` };
}

export function poolQueueKey(pool: string, queue: string): Key {
  return { pk: `${partitions.pool}${pool}`, sk: `${poolRows.queue}${queue}` };
}

export function tokenKey(hash: string): Key {
  return { pk: `${partitions.token}${hash}`, sk: 'TOKEN' };
}

export function hashOfPartition(pk: string): string {
  return pk.slice(partitions.token.length);
}

/** Where the hash of a token's secret is found by the token's public id. */
export function tokenIdKey(id: string): Key {
  return { pk: `${partitions.tokenId}${id}`, sk: 'POINTER' };
}

export function idempotencyKey(owner: string, key: string): Key {
  return { pk: `${partitions.idempotency}${owner}#${key}`, sk: 'IDEM' };
}

/** The time part is padded, so that a day's rows lie in their order. */
export const auditTimeDigits = 14;

export function auditKey(atMs: number, requestId: string): Key {
  const day = new Date(atMs).toISOString().slice(0, 10);
  const time = String(atMs).padStart(auditTimeDigits, '0');
  return { pk: `${partitions.audit}${day}`, sk: `${time}#${requestId}` };
}

export function statsKey(shard: number): Key {
  return { pk: `${partitions.stats}${shard}`, sk: statsRows.counts };
}

/** Finished work of one short interval. */
export function rateKey(shard: number, interval: number): Key {
  return { pk: `${partitions.stats}${shard}`, sk: `${statsRows.rate}${interval}` };
}

/**
 * What the keys of a thousand intervals in a row begin with, so that an hour is found by one or two
 * beginnings.
 */
export function ratePrefixOf(interval: number): string {
  return `${statsRows.rate}${String(interval).slice(0, -3)}`;
}

/** Says that a cell has ended the job and that the job's status may not say so yet. */
export function pendingRollupKey(job: JobId): Key {
  return { pk: pendingRollupPartition(shardOf(job, pendingRollupShards)), sk: job };
}

export function pendingRollupPartition(shard: number): string {
  return `${partitions.pendingRollups}${shard}`;
}

export const pendingRollupShards = 4;

export const statsShards = 8;

/** Spreads by a hash of the text, because ids that sort by time share their first characters. */
export function shardOf(text: string, shards: number): number {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  }
  return (hash >>> 0) % shards;
}

/** Index keys of a `STATUS` row: jobs of a pool, newest first when read backwards. */
export function jobListKey(pool: string, job: JobId): ListKey {
  return { listPk: jobListPartition(pool, shardOf(job, jobListShards)), listSk: job };
}

export function jobListPartition(pool: string, shard: number): string {
  return `${lists.jobs}${pool}#${shard}`;
}

/** Index keys of an `EXEC#` row: the history of work on an edge. */
export function edgeJobsListKey(edge: EdgeName, job: JobId): ListKey {
  return { listPk: edgeJobsPartition(edge), listSk: job };
}

export function edgeJobsPartition(edge: EdgeName): string {
  return `${lists.edgeJobs}${edge}`;
}

/** Index keys of a pool's `CELL#` row: every cell of the fleet, for the tick. */
export function cellListKey(cell: CellId): ListKey {
  return { listPk: lists.cells, listSk: cell };
}

export function poolListKey(pool: string): ListKey {
  return { listPk: lists.pools, listSk: pool };
}

export function tokenListKey(id: string): ListKey {
  return { listPk: lists.tokens, listSk: id };
}
