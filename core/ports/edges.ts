import type { GraphDigest } from '../graph/digest.ts';
import type { EdgeConfig, EdgeFacts, EdgeReport, EdgeWork, Intent } from '../model/cell.ts';
import type { CellId, EdgeName, JobId } from '../model/names.ts';
import type { FactValue } from '../protocol/facts.ts';
import type { ClusterRecord } from './clusters.ts';
import type { StoredToken } from './tokens.ts';

/**
 * Edges as users and the edges themselves meet them: who an edge is, how it comes and goes, and
 * what its users set.
 */
export type EdgeIdentity = {
  readonly edge: EdgeName;
  readonly cell: CellId;
  /** SHA-256 of the public key of its CSR; `null` for an edge without a certificate. */
  readonly keyHash: string | null;
  readonly certificateId: string | null;
  readonly certificate: string | null;
  /** The one before the last renewal, still valid: its edge may not have got the new one. */
  readonly previousCertificateId: string | null;
  readonly renewedAtMs: number | null;
  /** Hashes of the secrets that are valid: the newest last, two at most. */
  readonly credentials: readonly string[];
  readonly enrolledAtMs: number;
  /** Set when the edge is to go; the name is free again when its rows are gone. */
  readonly removingSinceMs: number | null;
};

/** Names are unique in the fleet; an identity outlives the edge's place in its cell. */
export type EdgeIdentities = {
  identify(edge: EdgeName): Promise<EdgeIdentity | null>;
  /**
   * For showing an edge and for removing it: where it is, and what lets it in. Also when the rest
   * of its identity cannot be read, which is then left out: it proves nothing.
   */
  remains(edge: EdgeName): Promise<EdgeIdentity | null>;
  /** Cells of those of the edges that are enrolled. */
  cellsOf(edges: readonly EdgeName[]): Promise<ReadonlyMap<EdgeName, CellId>>;
};

export type Enrolment = {
  readonly identity: EdgeIdentity;
  readonly config: EdgeConfig;
  readonly facts: EdgeFacts;
  /** All it said of itself, as it said it. */
  readonly allFacts: Readonly<Record<string, FactValue>>;
  /** Of an edge that is a cluster. */
  readonly cluster?: NewCluster;
};

export type NewCluster = {
  readonly record: ClusterRecord;
  readonly digest: GraphDigest | null;
  readonly submitToken: StoredToken;
};

/** How edges come and go. Whatever changes an identity changes its secrets in the same commit. */
export type EdgeEnrolments = {
  /** `full`: no room in this cell. `taken`: somebody else has the name now. */
  enrol(enrolment: Enrolment): Promise<'enrolled' | 'taken' | 'full'>;
  /**
   * Gives a known edge one more secret and keeps the one before it, so that a lost answer locks
   * nobody out. `null`: its secrets were changed since, or it is gone.
   */
  addCredential(identity: EdgeIdentity, hash: string): Promise<EdgeIdentity | null>;
  /**
   * Another certificate and other secrets for an edge. `false`: they were changed since `seen` was
   * read.
   */
  renew(seen: EdgeIdentity, next: EdgeIdentity): Promise<boolean>;
  markRemoving(identity: EdgeIdentity, nowMs: number): Promise<void>;
  /** Ends its secrets; the name stays taken until it has left its cell. */
  revoke(identity: EdgeIdentity): Promise<void>;
  /**
   * Who ends an edge does so alone until `untilMs`: nobody else, and its name stays taken. `false`:
   * somebody else does, or it is another edge that has the name now, or none.
   */
  claimEnd(identity: EdgeIdentity, nowMs: number, untilMs: number): Promise<boolean>;
  /**
   * The last of an edge: its secrets, its name and whatever is left of it. Of another edge that has
   * the name now nothing.
   */
  forget(identity: EdgeIdentity): Promise<void>;
};

/** An edge as it stands, with the version of its cell by which a pass in between is known. */
export type EdgeInCell = { readonly edge: StoredEdge; readonly cellVersion: number };

export type EdgeMove = {
  readonly identity: EdgeIdentity;
  readonly to: CellId;
  /** As it was decided by. */
  readonly seen: EdgeInCell;
  readonly config: EdgeConfig;
  readonly work: EdgeWork | null;
  readonly nowMs: number;
};

/** From one cell to another, whole. */
export type EdgeMoves = {
  /** `null` when it is not, or no longer, in this cell. */
  inCell(cell: CellId, edge: EdgeName): Promise<EdgeInCell | null>;
  /**
   * Settings, facts and presence go along with its name and its secrets, in one commit, and the
   * cell that it leaves is woken. `full`: no room there. `changed`: since it was looked at a user
   * changed it, or a pass over its cell was committed; what it says meanwhile is not lost.
   */
  move(move: EdgeMove): Promise<'moved' | 'changed' | 'full'>;
};

/** An edge in its cell. */
export type StoredEdge = {
  readonly name: EdgeName;
  readonly cell: CellId;
  readonly config: EdgeConfig;
  /** Counts the writes of users. */
  readonly version: number;
  readonly facts: EdgeFacts | null;
  readonly report: EdgeReport | null;
  readonly work: EdgeWork | null;
  readonly capacityMax?: Readonly<Record<string, number>>;
  readonly allFacts: Readonly<Record<string, FactValue>>;
  /** When it reported them; absent while they are those of its enrolment. */
  readonly factsAtMs?: number;
  readonly cluster: ClusterRecord | null;
  /** A row of it that cannot be read, if there is one. */
  readonly unreadable?: string;
  /** That row holds its settings: nobody can change them without losing the others. */
  readonly settingsUnknown?: true;
};

export type EdgeSettings = {
  /** `null` when it is not, or no longer, in this cell. */
  load(cell: CellId, edge: EdgeName): Promise<StoredEdge | null>;
  /** A page of a cell's edges, by name, from just behind `after`. */
  listCell(cell: CellId, after: string | null, limit: number): Promise<readonly StoredEdge[]>;
  /** What users want of these jobs in the cell; those that have ended there are missing. */
  intents(cell: CellId, jobs: readonly JobId[]): Promise<ReadonlyMap<JobId, Intent>>;
  /** `false`: its settings were changed since `seen` was read, or it is gone. */
  configure(cell: CellId, edge: EdgeName, config: EdgeConfig, seen: number): Promise<boolean>;
  /** In place of settings that cannot be read, which are given up. `false`: it is gone. */
  replaceSettings(cell: CellId, edge: EdgeName, config: EdgeConfig): Promise<boolean>;
};

export type EdgesStore = EdgeIdentities & EdgeEnrolments & EdgeSettings & EdgeMoves;
