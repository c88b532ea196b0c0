import type { WaitingReason } from '../../contract/waiting-reason.ts';
import {
  type Cell,
  type CellEdge,
  type CellHealth,
  type CellJob,
  type ChunkRetry,
  type EdgeWork,
  type Intent,
  type Lease,
  noEdgeWork,
  type QueueConfig,
  type Refusal,
  type Slice,
} from '../../model/cell.ts';
import { hasApplied } from '../../model/edge-state.ts';
import { epochMax } from '../../model/limits.ts';
import type { EdgeName, JobId } from '../../model/names.ts';
import type { Alarm, ChunkEnd, WaitingCount } from '../../model/plan.ts';
import { emptyRanges, isEmpty, type RangeSet, subtract, unionAll } from '../../model/ranges.ts';
import {
  type Amounts,
  capacityOf,
  copyAmounts,
  type Demand,
  demandOf,
  reservedBy,
} from './capacity.ts';
import { type SuspendedLease, suspendLease } from './suspension.ts';

/**
 * The cell as a pass is changing it: mutable, private to one call of `reconcile`, and turned into a
 * plan at its end.
 *
 * What a plan would write is marked on the drafts (`touched`), because a plan is bounded in rows:
 * whoever changes something asks `rows.ts` first. Derived amounts (`free`, `pending`) are kept
 * right by `changeLease` alone.
 */
export type Pass = {
  readonly cell: Cell;
  readonly nowMs: number;
  readonly jobs: Map<JobId, JobDraft>;
  readonly edges: Map<EdgeName, EdgeDraft>;
  /** Jobs that no phase sees: what edges hold of them stays as it is. */
  readonly suspended: ReadonlyMap<JobId, CellJob>;
  /** Those of them whose status is to say so. */
  readonly suspensions: CellJob[];
  health: CellHealth;
  /** False while the plane itself was unwell: then no edge is called lost. */
  verdictsAllowed: boolean;
  readonly rowsMax: number;
  rowsLeft: number;
  lookAgainAtMs: number | null;
  readonly memo: Memo;
  queues: ReadonlyMap<string, QueueDraft> | null;
  total: Amounts | null;
  readonly unmet: Unmet[];
  readonly alarms: Alarm[];
  readonly chunkEnds: ChunkEnd[];
  readonly ends: { done: number; dead: number; cancelled: number; power: number };
};

/**
 * What a pass has worked out once, because many jobs of a cell ask the same: filled on first use.
 * A shape is what a job requires of an edge (`shapeOf`), a need is a shape and the resources of
 * one chunk.
 */
type Memo = {
  /** Edges that may get new work of any job; `null` until somebody asks. */
  openEdges: readonly EdgeDraft[] | null;
  /** Those of them that match. */
  readonly matchingByShape: Map<string, readonly EdgeDraft[]>;
  /** Whether the cell has no edge that matches, not even one that is away. */
  readonly strandedByShape: Map<string, boolean>;
  readonly kindByShape: Map<string, Kind>;
  /** Why edges that match have no room. */
  readonly shortagesByNeed: Map<string, ReadonlyMap<WaitingReason, Found>>;
  /** The power of a chunk from which on nothing fits any more: spares looking again. */
  readonly unfitPowerByNeed: Map<string, number>;
};

/** The edges of a cell as jobs of one shape see them: those that fit, and why the others do not. */
export type Kind = {
  readonly reasons: ReadonlyMap<WaitingReason, Found>;
  readonly fitting: readonly EdgeDraft[];
};

/** Edges that a reason rules out, with a few of them as examples. */
export type Found = { edges: number; examples: EdgeDraft[]; detail: string };

/** A job that found no room, and the power that it waits for. */
export type Unmet = { readonly job: JobDraft; power: number };

/** What a queue holds in this cell, to share the cell fairly and to keep quotas. */
export type QueueDraft = {
  readonly name: string;
  readonly config: QueueConfig;
  readonly held: Amounts;
  /** Strict and its first job could not start: nothing of it starts in this pass. */
  blocked: boolean;
};

export type JobDraft = {
  readonly id: JobId;
  readonly intent: Intent;
  readonly before: Slice;
  readonly demand: Demand;
  done: RangeSet;
  dead: RangeSet;
  cancelled: RangeSet;
  retries: ReadonlyMap<number, ChunkRetry>;
  losses: ReadonlyMap<number, number>;
  refusals: ReadonlyMap<EdgeName, Refusal>;
  retryEpoch: number;
  revived: RangeSet;
  attemptBase: number;
  startedAtMs: number | null;
  /** Why it ends before all is done; `null` while it goes on. */
  endReason: string | null;
  readonly leases: LeaseDraft[];
  /** Derived: see `pendingOf`. */
  pending: RangeSet | null;
  waiting: readonly WaitingCount[] | null;
  /** What held it back as a whole, whatever the edges say. */
  obstacle: Obstacle | null;
  touched: boolean;
  ended: boolean;
};

export type Obstacle = 'quota' | 'max-edges' | 'gang-incomplete' | 'strict-queue' | 'shadow-full';

export type EdgeDraft = {
  readonly name: EdgeName;
  readonly source: CellEdge;
  readonly before: EdgeWork;
  readonly capacity: Amounts;
  readonly free: Amounts;
  readonly leases: Map<JobId, LeaseDraft>;
  readonly suspended: Map<JobId, SuspendedLease>;
  acknowledgedSequence: number | null;
  boot: string;
  lostAtMs: number | null;
  failuresInRow: number;
  quarantinedUntilMs: number | null;
  foreignResults: number;
  /**
   * Jobs the edge reports although its document does not name them: their keys are nulled again.
   */
  readonly unknownJobs: Set<JobId>;
  rewrites: number;
  touched: boolean;
  /** The document changes, so a new epoch is written. */
  bumped: boolean;
  removed: boolean;
  /** Derived: size of the document, `-1` until somebody asks. */
  documentBytes: number;
};

/** Not readonly copies: a lease is changed through `changeLease` only. */
export type LeaseDraft = { -readonly [K in keyof Lease]: Lease[K] } & {
  readonly job: JobDraft;
  readonly edge: EdgeDraft;
  /** As it was stored; `null` when this pass made it. */
  readonly before: Lease | null;
  touched: boolean;
};

export function openPass(
  cell: Cell,
  nowMs: number,
  rowsMax: number,
  suspended: ReadonlyMap<JobId, CellJob> = new Map(),
): Pass {
  const pass: Pass = {
    cell,
    nowMs,
    jobs: new Map(),
    edges: new Map(),
    suspended,
    suspensions: [],
    health: cell.meta.health,
    verdictsAllowed: true,
    rowsMax,
    rowsLeft: rowsMax,
    lookAgainAtMs: null,
    memo: newMemo(),
    queues: null,
    total: null,
    unmet: [],
    alarms: [],
    chunkEnds: [],
    ends: { done: 0, dead: 0, cancelled: 0, power: 0 },
  };
  for (const { id, intent, slice } of cell.jobs.values()) {
    if (!suspended.has(id)) pass.jobs.set(id, openJob(id, intent, slice));
  }
  for (const edge of cell.edges.values()) pass.edges.set(edge.name, openEdge(pass, edge));
  return pass;
}

function newMemo(): Memo {
  return {
    openEdges: null,
    matchingByShape: new Map(),
    strandedByShape: new Map(),
    kindByShape: new Map(),
    shortagesByNeed: new Map(),
    unfitPowerByNeed: new Map(),
  };
}

function openJob(id: JobId, intent: Intent, slice: Slice): JobDraft {
  return {
    id,
    intent,
    before: slice,
    demand: demandOf(intent),
    done: slice.done,
    dead: slice.dead,
    cancelled: slice.cancelled,
    retries: slice.retries,
    losses: slice.losses,
    refusals: slice.refusals,
    retryEpoch: slice.retryEpoch,
    revived: slice.revived,
    attemptBase: slice.attemptBase,
    startedAtMs: slice.startedAtMs,
    endReason: null,
    leases: [],
    pending: null,
    waiting: null,
    obstacle: null,
    touched: false,
    ended: false,
  };
}

function openEdge(pass: Pass, source: CellEdge): EdgeDraft {
  const before = source.work ?? noEdgeWork;
  const capacity = capacityOf(source);
  const edge: EdgeDraft = {
    name: source.name,
    source,
    before,
    capacity,
    free: copyAmounts(capacity),
    leases: new Map(),
    suspended: new Map(),
    acknowledgedSequence: before.acknowledgedSequence,
    boot: source.report?.progress?.boot ?? before.boot,
    lostAtMs: before.lostAtMs,
    failuresInRow: before.failuresInRow,
    quarantinedUntilMs: before.quarantinedUntilMs,
    foreignResults: before.foreignResults,
    unknownJobs: new Set(),
    rewrites: before.rewrites,
    touched: false,
    bumped: false,
    removed: false,
    documentBytes: -1,
  };
  for (const [id, lease] of before.leases) {
    const job = pass.jobs.get(id);
    const suspended = pass.suspended.get(id);
    if (job !== undefined) openLease(edge, job, lease);
    else if (suspended !== undefined) {
      edge.suspended.set(id, suspendLease(suspended, lease, edge.free));
    }
  }
  return edge;
}

function openLease(edge: EdgeDraft, job: JobDraft, stored: Lease): void {
  const lease: LeaseDraft = {
    ranges: stored.ranges,
    reclaiming: stored.reclaiming,
    reclaimEpoch: stored.reclaimEpoch,
    slots: stored.slots,
    running: stored.running,
    grantedAtMs: stored.grantedAtMs,
    startedAtMs: stored.startedAtMs,
    chunkMs: stored.chunkMs,
    heldBefore: stored.heldBefore,
    doneHere: stored.doneHere,
    deadHere: stored.deadHere,
    job,
    edge,
    before: stored,
    touched: false,
  };
  addLease(lease);
}

function addLease(lease: LeaseDraft): void {
  lease.edge.leases.set(lease.job.id, lease);
  lease.job.leases.push(lease);
  reservedBy(lease, lease.edge.free, -1);
}

/** The lease of this job on this edge; an empty one is made when there is none. */
export function leaseFor(pass: Pass, edge: EdgeDraft, job: JobDraft): LeaseDraft {
  const existing = edge.leases.get(job.id);
  if (existing !== undefined) return existing;
  const lease: LeaseDraft = {
    ranges: emptyRanges,
    reclaiming: emptyRanges,
    reclaimEpoch: null,
    slots: 0,
    running: emptyRanges,
    grantedAtMs: pass.nowMs,
    startedAtMs: pass.nowMs,
    chunkMs: null,
    heldBefore: emptyRanges,
    doneHere: job.before.doneBeforeReopening.get(edge.name) ?? emptyRanges,
    deadHere: emptyRanges,
    job,
    edge,
    before: null,
    touched: false,
  };
  addLease(lease);
  return lease;
}

type LeaseChange = Partial<
  Pick<LeaseDraft, 'ranges' | 'reclaiming' | 'reclaimEpoch' | 'slots' | 'running' | 'grantedAtMs'>
>;

/**
 * The one way to change what a lease holds: keeps the edge's free amounts and the job's pending
 * chunks right.
 */
export function changeLease(lease: LeaseDraft, change: LeaseChange): void {
  reservedBy(lease, lease.edge.free, 1);
  if (change.ranges !== undefined && change.ranges !== lease.ranges) {
    lease.job.pending = null;
    lease.edge.documentBytes = -1;
  }
  Object.assign(lease, change);
  reservedBy(lease, lease.edge.free, -1);
}

/** Chunks that are nobody's and not ended: derived, never stored. */
export function pendingOf(job: JobDraft): RangeSet {
  if (job.pending === null) {
    const ended = subtract(
      subtract(subtract(job.before.ranges, job.done), job.dead),
      job.cancelled,
    );
    job.pending = subtract(ended, leasedOf(job));
  }
  return job.pending;
}

export function leasedOf(job: JobDraft): RangeSet {
  return unionAll(job.leases.map((lease) => lease.ranges));
}

export function isActive(lease: LeaseDraft): boolean {
  return !isEmpty(lease.ranges);
}

/** How many times this chunk has failed, counted over user retries. */
export function failuresOf(job: JobDraft, chunk: number, revived: boolean): number {
  return job.retries.get(chunk)?.failures ?? (revived ? job.attemptBase : 0);
}

export function lookAgain(pass: Pass, atMs: number): void {
  const at = Math.max(atMs, pass.nowMs);
  if (pass.lookAgainAtMs === null || at < pass.lookAgainAtMs) pass.lookAgainAtMs = at;
}

/**
 * The epoch of the document that this pass would write: above all that were ever written, or
 * applied.
 */
export function nextEpochOf(edge: EdgeDraft): number {
  return Math.max(edge.before.epoch, appliedEpochOf(edge)) + 1;
}

/** Whether the edge has reported that it applied its newest document. */
export function isApplied({ before, source }: EdgeDraft): boolean {
  return hasApplied(source.report, before);
}

/**
 * What the edge reports as applied. Above what is stored, the table was restored to an earlier
 * time.
 */
export function appliedEpochOf(edge: EdgeDraft): number {
  const epoch = edge.source.report?.progress?.epoch ?? 0;
  return epoch > epochMax ? 0 : epoch;
}
