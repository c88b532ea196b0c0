import { jobListShards } from '../../core/model/limits.ts';
import {
  type CellId,
  cellIdOf,
  type EdgeName,
  edgeNameOf,
  type JobId,
  jobIdOf,
  parseCellId,
  parseEdgeName,
  parseJobId,
} from '../../core/model/names.ts';
import type { AuditEvent } from '../../core/ports/audit.ts';
import {
  cellRows,
  edgeRows,
  jobRows,
  lists,
  partitions,
  poolRows,
  scheduleRows,
  statsRows,
  submissionRows,
} from './schema.ts';

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

/** The last contact over HTTPS between reports: a row of its own, because it wakes no pass. */
export function seenKey(cell: CellId, edge: EdgeName): Key {
  return { pk: cellPartition(cell), sk: `${cellRows.seen}${edge}` };
}

export function workKey(cell: CellId, edge: EdgeName): Key {
  return { pk: cellPartition(cell), sk: `${cellRows.work}${edge}` };
}

export function intentKey(cell: CellId, job: JobId): Key {
  return { pk: cellPartition(cell), sk: `${cellRows.intent}${job}` };
}

/** `null` for another row than the work of an edge. */
export function edgeOfWorkRow({ pk, sk }: Key): EdgeName | null {
  if (cellOfPartition(pk) === null || !sk.startsWith(cellRows.work)) return null;
  return parseEdgeName(sk.slice(cellRows.work.length));
}

export function sliceKey(cell: CellId, job: JobId): Key {
  return { pk: cellPartition(cell), sk: `${cellRows.slice}${job}` };
}

/** The cell's own copy of a queue's settings. */
export function cellQueueKey(cell: CellId, queue: string): Key {
  return { pk: cellPartition(cell), sk: `${cellRows.queue}${queue}` };
}

/** The cell's own copy of what passes need of its pool. */
export function cellPoolKey(cell: CellId): Key {
  return { pk: cellPartition(cell), sk: cellRows.pool };
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

/** Padded, so that the rows lie in the order of the numbers. */
export function generationKey(job: JobId, generation: number): Key {
  return {
    pk: jobPartition(job),
    sk: `${jobRows.generation}${String(generation).padStart(8, '0')}`,
  };
}

/** The kind is part of the key: the same event written twice is one row. */
export function eventKey(job: JobId, atMs: number, kind: string): Key {
  return { pk: jobPartition(job), sk: `${jobRows.event}${String(atMs).padStart(14, '0')}#${kind}` };
}

/** Lies in the partition of the job that is waited for. */
export function dependantKey(parent: JobId, child: JobId): Key {
  return { pk: jobPartition(parent), sk: `${jobRows.dependant}${child}` };
}

export function submissionKey(id: JobId): Key {
  return { pk: `${partitions.submission}${id}`, sk: submissionRows.submission };
}

/** That something of a submission is still to be done. */
export function openSubmissionKey(id: JobId): Key {
  return { pk: `${partitions.submission}${id}`, sk: submissionRows.open };
}

/** The submission whose partition the row lies in. */
export function submissionOfRow({ pk }: Pick<Key, 'pk'>): JobId {
  return jobIdOf(pk.slice(partitions.submission.length));
}

export function scheduleKey(name: string): Key {
  return { pk: `${partitions.schedule}${name}`, sk: scheduleRows.schedule };
}

export function scheduleOfRow({ pk }: Pick<Key, 'pk'>): string {
  return pk.slice(partitions.schedule.length);
}

/** What became of one time; in the order of the times. */
export function scheduleRunKey(name: string, atMs: number): Key {
  const { pk } = scheduleKey(name);
  return { pk, sk: `${scheduleRows.run}${String(atMs).padStart(auditTimeDigits, '0')}` };
}

/** By the next time; those without one come last. */
export function scheduleListKey(name: string, nextAtMs: number | null): ListKey {
  const time = nextAtMs === null ? '~' : String(nextAtMs).padStart(auditTimeDigits, '0');
  return { listPk: lists.schedules, listSk: `${time}#${name}` };
}

/** `null` for another row than the pointer of an edge. */
export function edgeOfPointer({ pk, sk }: Key): EdgeName | null {
  if (!pk.startsWith(partitions.edge) || sk !== edgeRows.pointer) return null;
  return parseEdgeName(pk.slice(partitions.edge.length));
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

export function clusterKey(edge: EdgeName): Key {
  return { pk: `${partitions.edge}${edge}`, sk: edgeRows.cluster };
}

export function graphKey(edge: EdgeName): Key {
  return { pk: `${partitions.edge}${edge}`, sk: edgeRows.graph };
}

/** Whose output somebody follows on the edge. */
export function liveWishesKey(edge: EdgeName): Key {
  return { pk: `${partitions.edge}${edge}`, sk: edgeRows.live };
}

/** Parts of an output lie in the order in which they were printed, attempt after attempt. */
export function livePartKey(job: JobId, chunk: number, attempt: number, offset: number): Key {
  const place = `${String(attempt).padStart(4, '0')}#${String(offset).padStart(15, '0')}`;
  return { pk: jobPartition(job), sk: `${livePartPrefix(chunk)}${place}` };
}

export function livePartPrefix(chunk: number): string {
  return `${jobRows.live}${String(chunk).padStart(8, '0')}#`;
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

/** One request may change several things: what was done to which is part of the key. */
export function auditKey({ atMs, requestId, action, target }: AuditEvent): Key {
  const time = String(atMs).padStart(auditTimeDigits, '0');
  const what = shardOf(`${action} ${target}`, 2 ** 32).toString(36);
  const sk = `${time}#${requestId}.${what}`;
  return { pk: `${auditDay(atMs)}#${shardOf(sk, auditShards)}`, sk };
}

/** All that hold something of this day. */
export function auditPartitions(atMs: number): string[] {
  const day = auditDay(atMs);
  return [day, ...Array.from({ length: auditShards }, (_, shard) => `${day}#${shard}`)];
}

const auditShards = 4;

function auditDay(atMs: number): string {
  return `${partitions.audit}${new Date(atMs).toISOString().slice(0, 10)}`;
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

/** A part of a batch, by its first job. */
export function batchPartKey(first: JobId, part: number): Key {
  const sk = `${first}#${String(part).padStart(3, '0')}`;
  return { pk: batchPartition(shardOf(first, batchShards)), sk };
}

/** Batches of the fleet's log, in their order. */
export function fleetLogKey(batch: number): Key {
  return { pk: partitions.fleetLog, sk: String(batch).padStart(fleetLogDigits, '0') };
}

const fleetLogDigits = 15;

export function batchOfRow({ sk }: Key): number {
  return Number(sk);
}

export function batchPartition(shard: number): string {
  return `${partitions.batch}${shard}`;
}

export const batchShards = 4;

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

/** Index keys of a `SUBMISSION` row: those of a pool, newest first when read backwards. */
export function submissionListKey(pool: string, position: string): ListKey {
  return { listPk: submissionListPartition(pool), listSk: position };
}

export function submissionListPartition(pool: string): string {
  return `${lists.submissions}${pool}`;
}

/** Index keys of an `OPEN` row. */
export function openSubmissionListKey(position: string): ListKey {
  return { listPk: lists.openSubmissions, listSk: position };
}

export function waitingSubmissionListKey(position: string): ListKey {
  return { listPk: lists.waitingSubmissions, listSk: position };
}

/** Index keys of an `EXEC#` row: the history of work on an edge. */
export function edgeJobsListKey(edge: EdgeName, position: string): ListKey {
  return { listPk: edgeJobsPartition(edge), listSk: position };
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

/** Index keys of the `CLUSTER` row of an edge that has a graph. */
export function clusterListKey(pool: string, edge: EdgeName): ListKey {
  return { listPk: clusterListPartition(pool), listSk: edge };
}

export function clusterListPartition(pool: string): string {
  return `${lists.clusters}${pool}`;
}
