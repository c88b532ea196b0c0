import { jobListShards } from '../../core/limits.ts';
import type { CellId, EdgeName, JobId } from '../../core/names.ts';

/**
 * The map of the one table: which row lies where. Nothing else in the system spells a key.
 *
 * A cell's partition holds everything a pass reads and nothing more, so that one consistent Query
 * loads it. What is bulky or only read one at a time lies outside. The one index, `list`, is
 * sparse: a row is in it when it carries `listPk` and `listSk`; its keys are spread so that no
 * partition is named after a state that many rows share.
 */
export type Key = { readonly pk: string; readonly sk: string };

export const listIndexName = 'list';

/** Attributes that the list index carries beside its keys: what lists filter by. */
export const listIndexAttributes = ['state', 'queue', 'labels', 'name'] as const;

export const rowKinds = {
  meta: 'META',
  tick: 'TICK',
  edge: 'EDGE#',
  facts: 'FACTS#',
  report: 'REPORT#',
  work: 'WORK#',
  ask: 'ASK#',
  share: 'SHARE#',
  queue: 'QUEUE#',
} as const;

export const cellPartitionPrefix = 'CELL#';
export const jobPartitionPrefix = 'JOB#';
export const jobCellPrefix = 'CELL#';
export const executionPrefix = 'EXEC#';
export const chunkPrefix = 'CHUNK#';
export const eventPrefix = 'EVENT#';
export const dependantPrefix = 'DEPENDANT#';

export function cellPartition(cell: CellId): string {
  return `${cellPartitionPrefix}${cell}`;
}

/** `null` for a partition that is not a cell's. */
export function cellOfPartition(pk: string): CellId | null {
  return pk.startsWith(cellPartitionPrefix)
    ? (pk.slice(cellPartitionPrefix.length) as CellId)
    : null;
}

export function metaKey(cell: CellId): Key {
  return { pk: cellPartition(cell), sk: rowKinds.meta };
}

export function tickKey(cell: CellId): Key {
  return { pk: cellPartition(cell), sk: rowKinds.tick };
}

export function edgeKey(cell: CellId, edge: EdgeName): Key {
  return { pk: cellPartition(cell), sk: `${rowKinds.edge}${edge}` };
}

export function factsKey(cell: CellId, edge: EdgeName): Key {
  return { pk: cellPartition(cell), sk: `${rowKinds.facts}${edge}` };
}

export function reportKey(cell: CellId, edge: EdgeName): Key {
  return { pk: cellPartition(cell), sk: `${rowKinds.report}${edge}` };
}

export function workKey(cell: CellId, edge: EdgeName): Key {
  return { pk: cellPartition(cell), sk: `${rowKinds.work}${edge}` };
}

export function askKey(cell: CellId, job: JobId): Key {
  return { pk: cellPartition(cell), sk: `${rowKinds.ask}${job}` };
}

export function shareKey(cell: CellId, job: JobId): Key {
  return { pk: cellPartition(cell), sk: `${rowKinds.share}${job}` };
}

/** The cell's own copy of a queue's settings. */
export function cellQueueKey(cell: CellId, queue: string): Key {
  return { pk: cellPartition(cell), sk: `${rowKinds.queue}${queue}` };
}

export function jobPartition(job: JobId): string {
  return `${jobPartitionPrefix}${job}`;
}

export function jobOfPartition(pk: string): JobId | null {
  return pk.startsWith(jobPartitionPrefix) ? (pk.slice(jobPartitionPrefix.length) as JobId) : null;
}

export function specKey(job: JobId): Key {
  return { pk: jobPartition(job), sk: 'SPEC' };
}

export function statusKey(job: JobId): Key {
  return { pk: jobPartition(job), sk: 'STATUS' };
}

export function jobCellKey(job: JobId, cell: CellId): Key {
  return { pk: jobPartition(job), sk: `${jobCellPrefix}${cell}` };
}

export function executionKey(job: JobId, edge: EdgeName): Key {
  return { pk: jobPartition(job), sk: `${executionPrefix}${edge}` };
}

/** Chunk numbers are padded, so that the rows lie in the order of the numbers. */
export function chunkKey(job: JobId, chunk: number): Key {
  return { pk: jobPartition(job), sk: `${chunkPrefix}${String(chunk).padStart(8, '0')}` };
}

/** The kind is part of the key: the same event told twice is one row. */
export function eventKey(job: JobId, atMs: number, kind: string): Key {
  return { pk: jobPartition(job), sk: `${eventPrefix}${String(atMs).padStart(14, '0')}#${kind}` };
}

/** Lies in the partition of the job that is waited for. */
export function dependantKey(parent: JobId, child: JobId): Key {
  return { pk: jobPartition(parent), sk: `${dependantPrefix}${child}` };
}

export function pointerKey(edge: EdgeName): Key {
  return { pk: `EDGE#${edge}`, sk: 'POINTER' };
}

/** All facts of an edge, bulky, outside its cell. */
export function edgeFactsKey(edge: EdgeName): Key {
  return { pk: `EDGE#${edge}`, sk: 'FACTS' };
}

export function poolKey(pool: string): Key {
  return { pk: `POOL#${pool}`, sk: 'POOL' };
}

export function poolCellKey(pool: string, cell: CellId): Key {
  return { pk: `POOL#${pool}`, sk: `${cellPartitionPrefix}${cell}` };
}

export function poolQueueKey(pool: string, queue: string): Key {
  return { pk: `POOL#${pool}`, sk: `${rowKinds.queue}${queue}` };
}

export function tokenKey(hash: string): Key {
  return { pk: `TOKEN#${hash}`, sk: 'TOKEN' };
}

export function idempotencyKey(owner: string, key: string): Key {
  return { pk: `IDEM#${owner}#${key}`, sk: 'IDEM' };
}

export function statsKey(shard: number): Key {
  return { pk: `STATS#${shard}`, sk: 'STATS' };
}

export const ratePrefix = 'RATE#';

/** Finished work of one short interval. */
export function rateKey(shard: number, interval: number): Key {
  return { pk: `STATS#${shard}`, sk: `${ratePrefix}${interval}` };
}

/**
 * What the keys of a thousand intervals in a row begin with, so that an hour is found by one or two
 * beginnings.
 */
export function ratePrefixOf(interval: number): string {
  return `${ratePrefix}${String(interval).slice(0, -3)}`;
}

/** Says that a cell has ended the job and that the job's status may not say so yet. */
export function owedFoldKey(job: JobId): Key {
  return { pk: owedFoldPartition(shardOf(job, owedFoldShards)), sk: job };
}

export function owedFoldPartition(shard: number): string {
  return `OWED#${shard}`;
}

export const owedFoldShards = 4;

export { jobListShards };
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
export function jobListKey(pool: string, job: JobId): { listPk: string; listSk: string } {
  return { listPk: jobListPartition(pool, shardOf(job, jobListShards)), listSk: job };
}

export function jobListPartition(pool: string, shard: number): string {
  return `JOBS#${pool}#${shard}`;
}

/** Index keys of an `EXEC#` row: the history of work on an edge. */
export function edgeJobsListKey(edge: EdgeName, job: JobId): { listPk: string; listSk: string } {
  return { listPk: `EDGEJOBS#${edge}`, listSk: job };
}

/** Index keys of a pool's `CELL#` row: every cell of the fleet, for the tick. */
export function cellListKey(cell: CellId): { listPk: string; listSk: string } {
  return { listPk: 'CELLS', listSk: cell };
}

export function poolListKey(pool: string): { listPk: string; listSk: string } {
  return { listPk: 'POOLS', listSk: pool };
}

export function tokenListKey(hash: string): { listPk: string; listSk: string } {
  return { listPk: 'TOKENS', listSk: hash };
}
