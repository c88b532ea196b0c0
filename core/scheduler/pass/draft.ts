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
  type SliceMarks,
} from '../../model/cell.ts';
import type { TakenSubmission } from '../../model/job.ts';
import type { EdgeName, JobId } from '../../model/names.ts';
import type { Alarm, ChunkEnd, WaitingCount } from '../../model/plan.ts';
import { presentAt } from '../../model/presence.ts';
import { emptyRanges, isEmpty, type RangeSet, subtract, unionAll } from '../../model/ranges.ts';
import type { Starts } from '../../model/starts.ts';
import { noPercents, type Percents } from '../../protocol/percents.ts';
import { inEffect } from '../../services/in-effect.ts';
import { type Rollout, rolloutTowards } from '../../services/rollout.ts';
import type { InstanceEnd } from '../instances/instance-end.ts';
import { isFoldedByCell } from '../plan/folded-by-cell.ts';
import {
  type Amounts,
  capacityOf,
  copyAmounts,
  type Demand,
  demandOf,
  reservedBy,
} from './capacity.ts';
import { heldByDamaged, withUnreadable } from './damaged.ts';
import { type Memo, newMemo } from './memo.ts';
import { openShelf, type ShelfDraft } from './shelf-draft.ts';
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
  /** Edges that no phase sees, because a row of them cannot be read: counted, and explained. */
  readonly damagedEdges: readonly { readonly row: string; readonly edge: EdgeDraft }[];
  /** Those of the suspended jobs whose status is to say so. */
  readonly suspensions: CellJob[];
  health: CellHealth;
  /** False while the control plane itself was unwell: then no edge is called lost. */
  verdictsAllowed: boolean;
  readonly rowsMax: number;
  rowsLeft: number;
  lookAgainAtMs: number | null;
  readonly memo: Memo<EdgeDraft>;
  queues: ReadonlyMap<string, QueueDraft> | null;
  total: Amounts | null;
  /** Jobs that found no room, and the power that they wait for. */
  readonly unmet: { readonly job: JobDraft; power: number }[];
  readonly alarms: Alarm[];
  readonly chunkEnds: ChunkEnd[];
  readonly ends: { done: number; dead: number; cancelled: number; power: number };
  readonly shelf: ShelfDraft;
};

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
  /** As stored, except of a service that is updated: see `inEffect`. */
  intent: Intent;
  readonly before: Slice;
  readonly demand: Demand;
  readonly hasNoSliceRow: boolean;
  /** This pass writes its status, too. */
  readonly foldedByCell: boolean;
  /** As stored, except of a service, which is scaled. */
  ranges: RangeSet;
  done: RangeSet;
  dead: RangeSet;
  cancelled: RangeSet;
  retries: ReadonlyMap<number, ChunkRetry>;
  losses: ReadonlyMap<number, number>;
  refusals: ReadonlyMap<EdgeName, Refusal>;
  retryEpoch: number;
  revived: RangeSet;
  attemptBase: number;
  attemptsUsed: number;
  startedAtMs: number | null;
  rollout: Rollout | undefined;
  standIns: Slice['standIns'];
  seats: ReadonlyMap<EdgeName, number>;
  /** While a part of it is placed: these only. */
  placing: RangeSet | null;
  /** Instances that ended in this pass by themselves. */
  readonly instanceEnds: InstanceEnd[];
  /** The edge that took it and never showed it, for its timeline. */
  lostBy: EdgeName | null;
  /** Why it ends before all is done; `null` while it goes on. */
  endReason: string | null;
  readonly leases: LeaseDraft[];
  /** Chunks that edges hold which no phase sees: they are not anybody else's. */
  readonly heldByDamaged: RangeSet;
  /** Derived: see `shapeOf` and `pendingOf`. */
  shape: string | null;
  pending: RangeSet | null;
  waiting: readonly WaitingCount[] | null;
  /** What held it back as a whole, whatever the edges say. */
  obstacle: Obstacle | null;
  touched: boolean;
  /** The row that was asked for its slice is not needed. */
  spared: boolean;
  endPaid: boolean;
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
  starts: Starts | undefined;
  taken: readonly TakenSubmission[];
  totals: EdgeWork['totals'];
  /** Jobs that the edge reports and its document does not name: their keys are nulled again. */
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
export type LeaseDraft = { -readonly [K in keyof Omit<Lease, 'slice'>]: Lease[K] } & {
  percents: Percents;
  ready: RangeSet;
  slice: SliceMarks | null;
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
  shared: ReadonlySet<JobId> = new Set(),
): Pass {
  const pass: Pass = {
    cell,
    nowMs,
    jobs: new Map(),
    edges: new Map(),
    suspended: withUnreadable(cell, suspended),
    damagedEdges: [...(cell.unreadable?.edges.values() ?? [])].map(({ row, standIn }) => {
      return { row, edge: newEdge({ nowMs }, standIn) };
    }),
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
    shelf: openShelf(cell),
  };
  for (const job of cell.jobs.values()) {
    if (suspended.has(job.id)) continue;
    pass.jobs.set(job.id, openJob(job, shared, nowMs, heldByDamaged(cell, job.id)));
  }
  for (const edge of cell.edges.values()) pass.edges.set(edge.name, openEdge(pass, edge));
  return pass;
}

function openJob(
  job: CellJob,
  shared: ReadonlySet<JobId>,
  nowMs: number,
  held: RangeSet,
): JobDraft {
  const { id, slice } = job;
  const rollout = rolloutTowards(job.intent, slice.ranges, slice.rollout, nowMs);
  const intent = inEffect(job.intent, rollout);
  return {
    hasNoSliceRow: job.hasNoSliceRow === true,
    foldedByCell: isFoldedByCell(intent, slice) && !shared.has(id),
    rollout,
    standIns: slice.standIns,
    seats: slice.seats ?? new Map(),
    instanceEnds: [],
    placing: null,
    id,
    intent,
    before: slice,
    demand: demandOf(intent),
    ranges: slice.ranges,
    done: slice.done,
    dead: slice.dead,
    cancelled: slice.cancelled,
    retries: slice.retries,
    losses: slice.losses,
    // What an edge would not have may be another matter now.
    refusals: rollout === slice.rollout ? slice.refusals : new Map(),
    retryEpoch: slice.retryEpoch,
    revived: slice.revived,
    attemptBase: slice.attemptBase,
    attemptsUsed: slice.attemptsUsed,
    startedAtMs: slice.startedAtMs,
    endReason: null,
    lostBy: null,
    leases: [],
    heldByDamaged: held,
    shape: null,
    pending: null,
    waiting: null,
    obstacle: null,
    touched: false,
    spared: false,
    endPaid: false,
    ended: false,
  };
}

function newEdge(pass: Pick<Pass, 'nowMs'>, stored: CellEdge): EdgeDraft {
  const source = presentAt(stored, pass.nowMs);
  const before = source.work ?? noEdgeWork;
  const capacity = capacityOf(source);
  return {
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
    starts: before.starts,
    taken: before.taken ?? [],
    totals: before.totals,
    unknownJobs: new Set(),
    rewrites: before.rewrites,
    touched: false,
    bumped: false,
    removed: false,
    documentBytes: -1,
  };
}

function openEdge(pass: Pass, stored: CellEdge): EdgeDraft {
  const edge = newEdge(pass, stored);
  for (const [id, lease] of edge.before.leases) {
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
    percents: stored.percents ?? noPercents,
    ready: stored.ready ?? emptyRanges,
    slice: stored.slice ?? null,
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
    percents: noPercents,
    ready: emptyRanges,
    slice: null,
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

/** The one way to change what a lease holds: keeps what is derived of edge and job right. */
export function changeLease(lease: LeaseDraft, change: LeaseChange): void {
  reservedBy(lease, lease.edge.free, 1);
  if (change.ranges !== undefined && change.ranges !== lease.ranges) {
    lease.job.pending = null;
    lease.edge.documentBytes = -1;
  }
  Object.assign(lease, change);
  reservedBy(lease, lease.edge.free, -1);
}

/** Nobody's and not ended: derived, never stored. */
export function pendingOf(job: JobDraft): RangeSet {
  if (job.pending === null) {
    const ended = subtract(subtract(subtract(job.ranges, job.done), job.dead), job.cancelled);
    job.pending = subtract(subtract(ended, leasedOf(job)), job.heldByDamaged);
  }
  return job.pending;
}

export function leasedOf(job: JobDraft): RangeSet {
  return unionAll(job.leases.map((lease) => lease.ranges));
}

export function isActive(lease: LeaseDraft): boolean {
  return !isEmpty(lease.ranges);
}

export function lookAgain(pass: Pass, atMs: number): void {
  const at = Math.max(atMs, pass.nowMs);
  if (pass.lookAgainAtMs === null || at < pass.lookAgainAtMs) pass.lookAgainAtMs = at;
}
