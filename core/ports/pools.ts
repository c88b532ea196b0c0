import type { CellMeta, QueueConfig } from '../model/cell.ts';
import type { PlacementPolicy } from '../model/job.ts';
import type { CellId } from '../model/names.ts';

/** Pools with their cells, and queues, which go through all pools. */
export type StoredPool = {
  readonly name: string;
  readonly description: string;
  readonly policy: PlacementPolicy;
  readonly createdAtMs: number | null;
  readonly version: number;
};

export function newPool(name: string, nowMs: number): StoredPool {
  return { name, description: '', policy: 'spread', createdAtMs: nowMs, version: 0 };
}

export type PoolCell = { readonly id: CellId; readonly edges: number };

export type PoolWithCells = {
  /** `null` for a pool that nobody has named, and that may have cells all the same. */
  readonly pool: StoredPool | null;
  readonly cells: readonly PoolCell[];
};

/** A pool comes into being with its first cell, or when a user names it. */
export type Pools = {
  find(name: string): Promise<PoolWithCells>;
  /** Names, sorted. */
  list(): Promise<readonly string[]>;
  /** `false`: it was changed since `seen` was read; `null` is for one that was not there. */
  put(pool: StoredPool, seen: number | null): Promise<boolean>;
  /** Makes cell number `index` of the pool, and the pool with it; harmless when it is there. */
  ensureCell(pool: string, index: number, nowMs: number): Promise<CellId>;
  /** Every cell of the fleet, in a stable order. */
  allCells(): Promise<readonly CellId[]>;
  /** Those of the cells that there are, in the order of `allCells`. */
  metas(cells: readonly CellId[]): Promise<readonly CellMeta[]>;
};

export type StoredQueue = QueueConfig & { readonly name: string; readonly version: number };

/**
 * A queue's settings are stored once and copied into every cell, where passes read them. A quota is
 * of each pool, divided among the cells of that pool: what other pools there are does not make it
 * smaller.
 */
export type Queues = {
  find(name: string): Promise<StoredQueue | null>;
  /** By name. */
  list(): Promise<readonly StoredQueue[]>;
  /** `false`: it was changed since `seen` was read; `null` is for one that was not there. */
  put(queue: StoredQueue, seen: number | null): Promise<boolean>;
};

/** The cells of a pool with their summaries, as submitting needs them. */
export type PoolCells = {
  /** For jobs that name none. */
  readonly policy: PlacementPolicy;
  readonly metas: readonly CellMeta[];
  /** `null` while the pool has no edge that may get work. */
  readonly largestEdgePower: number | null;
};

export type PoolCellsReader = {
  /**
   * With no cell at all the first one is made, so that an agent that enrols later finds the work.
   */
  ofPool(name: string, nowMs: number): Promise<PoolCells>;
  /** For looking only: makes nothing. */
  peek(name: string, nowMs: number): Promise<PoolCells>;
};
