import type { MatchSettings, Select } from '../contract/jobspec/envelope.ts';
import type { CellMeta, QueueConfig } from '../model/cell.ts';
import type { PlacementPolicy } from '../model/job.ts';
import { unnamedPoolsMax } from '../model/limits.ts';
import type { CellId } from '../model/names.ts';

/** Pools with their cells, and queues, which go through all pools. */
export type StoredPool = {
  readonly name: string;
  readonly description: string;
  readonly policy: PlacementPolicy;
  /** What is believed at most of what one of its edges says it has, by resource. */
  readonly edgeCapacityMax: Readonly<Record<string, number>>;
  /** How one of its clusters is chosen for a jobspec that does not say; `null`: as everywhere. */
  readonly select: Select | null;
  readonly match: MatchSettings | null;
  readonly createdAtMs: number | null;
  readonly version: number;
};

export function newPool(name: string, nowMs: number): StoredPool {
  const settings = { description: '', policy: 'spread', edgeCapacityMax: {} } as const;
  return { name, ...settings, select: null, match: null, createdAtMs: nowMs, version: 0 };
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
  /** Those that jobs may be listed of: those that were removed and had jobs, too. */
  listWithJobs(): Promise<readonly string[]>;
  /** How many there are that nobody has named: made by the first job or edge in them. */
  countUnnamed(): Promise<number>;
  /**
   * Also copies what passes need of it into its cells. `false`: it was changed since `seen` was
   * read; `null` is for one that was not there.
   */
  put(pool: StoredPool, seen: number | null): Promise<boolean>;
  /**
   * Ends a pool that holds no edge and no open job, with its cells; what they counted stays in the
   * figures of the fleet. Jobs that have ended there stay: then it is remembered as removed. A job
   * or an edge that comes at the same moment makes it again, or finds it in use.
   */
  remove(name: string, seen: number): Promise<'removed' | 'in-use' | 'changed'>;
  /** Removed and remembered for their jobs. */
  listRemoved(): Promise<readonly string[]>;
  /** Of a removed pool nothing is left, not even its name. */
  forget(name: string): Promise<void>;
  /** Makes cell number `index` of the pool, and the pool with it; harmless when it is there. */
  ensureCell(pool: string, index: number, nowMs: number): Promise<CellId>;
  /** Every cell of the fleet, in a stable order. */
  allCells(): Promise<readonly CellId[]>;
  /** Those of the cells that there are, in the order of `allCells`. */
  metas(cells: readonly CellId[]): Promise<readonly CellMeta[]>;
};

/** One that has no cells yet: named, or one of not too many that nobody has named. */
export async function mayComeIntoBeing(
  pools: Pick<Pools, 'countUnnamed'>,
  { pool }: Pick<PoolWithCells, 'pool'>,
): Promise<boolean> {
  return pool !== null || (await pools.countUnnamed()) < unnamedPoolsMax;
}

export type StoredQueue = QueueConfig & {
  readonly name: string;
  readonly version: number;
  /** Its row could not be read: it may use nothing. */
  readonly unreadable?: true;
};

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
  /** With its copies in all cells. `false`: it was changed since `seen` was read. */
  remove(name: string, seen: number): Promise<boolean>;
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
   * `null`: there are too many pools already that nobody has named, and this would be another.
   */
  ofPool(name: string, nowMs: number): Promise<PoolCells | null>;
  /** For looking only: makes nothing. */
  peek(name: string, nowMs: number): Promise<PoolCells>;
};
