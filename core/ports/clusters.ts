import type { GraphDigest } from '../graph/digest.ts';
import type { SubsystemSummary } from '../graph/read-cluster.ts';
import type { Scalar } from '../graph/vertex.ts';
import type { CellId, EdgeName } from '../model/names.ts';
import type { FileAddress } from './files.ts';

/**
 * What an edge that is a cluster says of itself, besides what every edge says: its graph, its
 * subsystems, its state, and the tokens by which others submit to it.
 */
export type ClusterRecord = {
  readonly edge: EdgeName;
  readonly pool: string;
  /** Counts the changes of its graph and its subsystems. */
  readonly version: number;
  /** Counts every write. */
  readonly writes: number;
  readonly graph: GraphSummary | null;
  readonly subsystems: readonly StoredSubsystem[];
  readonly state: ReadonlyMap<string, StateValue>;
  readonly submitTokens: readonly SubmitToken[];
};

export type GraphSummary = {
  readonly vertices: number;
  /** Summed sizes by type. */
  readonly counts: Readonly<Record<string, number>>;
  /** Of the document as it was sent; it is kept under this name. */
  readonly hash: string;
  readonly registeredAtMs: number;
};

export type StoredSubsystem = SubsystemSummary & {
  readonly hash: string;
  readonly registeredAtMs: number;
};

export type StateValue = {
  readonly value: Scalar;
  readonly atMs: number;
  /** `null`: until it is replaced. */
  readonly untilMs: number | null;
};

export type SubmitToken = { readonly id: string; readonly hash: string };

/** What the graph of an edge counts, in its cell; `null`: it has none any more. */
export type GraphCounts = {
  readonly cell: CellId;
  readonly counted: Readonly<Record<string, number>> | null;
};

/** A cluster as matching sees it. */
export type MatchedCluster = { readonly record: ClusterRecord; readonly digest: GraphDigest };

export type ClustersStore = {
  find(edge: EdgeName): Promise<ClusterRecord | null>;
  digestOf(edge: EdgeName): Promise<GraphDigest | null>;
  /** A page of the clusters of a pool that have a graph, by name, from just behind `after`. */
  ofPool(pool: string, after: EdgeName | null, limit: number): Promise<readonly MatchedCluster[]>;
  /**
   * In place of what was seen: `null` when there was none. A digest is replaced, removed (`null`)
   * or left as it is; with it goes what follows from it. `false`: it was changed in between, or
   * there is no such edge any more.
   */
  save(
    next: ClusterRecord,
    digest: GraphDigest | null | 'as it is',
    seen: ClusterRecord | null,
    counts?: GraphCounts,
  ): Promise<boolean>;
  /** All of it, with its submit tokens. */
  forget(edge: EdgeName): Promise<void>;
};

/** The documents as they were sent, by the hash of their bytes. */
export type GraphDocuments = {
  /** Where a large one is put before it is read; the store refuses others than these bytes. */
  uploadAddress(edge: EdgeName, digest: string, nowMs: number): FileAddress;
  /** `null`: it was not put there, not in time, or is larger. */
  uploaded(edge: EdgeName, digest: string, bytesMax: number): Promise<Uint8Array | null>;
  put(edge: EdgeName, hash: string, document: Uint8Array): Promise<void>;
  get(edge: EdgeName, hash: string): Promise<Uint8Array | null>;
  remove(edge: EdgeName, hash: string): Promise<void>;
  removeAll(edge: EdgeName): Promise<void>;
};

/** What holds at this time. */
export function stateAt(
  state: ReadonlyMap<string, StateValue>,
  nowMs: number,
): ReadonlyMap<string, StateValue> {
  return new Map([...state].filter(([, { untilMs }]) => untilMs === null || untilMs > nowMs));
}
