import {
  type Cell,
  type CellEdge,
  type CellJob,
  type EdgeConfig,
  type EdgeWork,
  type Intent,
  type Lease,
  newSlice,
  noEdgeWork,
  type SliceMarks,
} from '../../../core/model/cell.ts';
import type { EdgeName, JobId } from '../../../core/model/names.ts';
import type { Execution } from '../../../core/model/plan.ts';
import { polledAt } from '../../../core/model/presence.ts';
import {
  emptyRanges,
  isEmpty,
  type RangeSet,
  subtract,
  union,
  unionAll,
} from '../../../core/model/ranges.ts';
import { intentOf } from '../../../core/model/stored-job.ts';
import type { Damaged } from '../../../core/model/unreadable.ts';
import { executionKey, type Key, specKey } from '../keys.ts';
import type { Row } from '../table.ts';
import { type CellParts, jobsIn } from './cell-parts.ts';
import { unreadableConfig } from './rows-edge.ts';
import { decodeExecution } from './rows-job.ts';
import { decodeSpec } from './rows-spec.ts';
import { readable } from './unreadable-row.ts';

/**
 * Puts the rows of one partition together into a cell; `null` without a META row. `beside` are the
 * rows of `keysBeside`.
 *
 * Rows come in any order. A report or facts of an edge that is no longer in the cell are left out,
 * as is a slice whose intent is gone: the row that makes an edge a member is `EDGE#`, the row that
 * makes a job one is `ASK#`.
 */
export function assembleCell(parts: CellParts, beside: readonly Row[] = []): Cell | null {
  if (parts.meta === null) return null;
  const found = new Map(beside.map((row) => [textOf(row), row]));
  const held = heldByDamaged(parts, found);
  const jobs = new Map<JobId, CellJob>();
  const damagedJobs = new Map<JobId, Damaged<CellJob>>();
  const marks = marksInLeases(parts);
  for (const id of jobsIn(parts)) {
    const intent = parts.intents.get(id);
    const own = parts.slices.get(id);
    const initial = parts.initialSlices.get(id);
    const slice = own ?? (initial && { ...initial, ...marks.get(id) });
    const row = parts.damagedJobs.get(id) ?? held.unknown.get(id);
    if (row !== undefined) damagedJobs.set(id, { row, standIn: standInOf(parts, found, id) });
    else if (intent !== undefined && slice !== undefined) {
      const hasNoSliceRow = own === undefined && ({ hasNoSliceRow: true } as const);
      jobs.set(id, { id, intent, slice, ...hasNoSliceRow, ...recalledIn(parts, id) });
    }
  }
  const edges = new Map<EdgeName, CellEdge>();
  const damagedEdges = new Map<EdgeName, Damaged<CellEdge>>();
  for (const name of parts.configs.keys()) {
    const row = parts.damagedEdges.get(name);
    const edge = edgeOf(
      parts,
      name,
      row ?? closedBy(parts, name, damagedJobs),
      held.works.get(name),
    );
    // Who removes an edge by force does not ask what it says, nor what became of its rows.
    const goes = parts.configs.get(name)?.removing?.force === true;
    if (row === undefined || goes) edges.set(name, edge);
    else damagedEdges.set(name, { row, standIn: edge });
  }
  const { meta, queues, tickAtMs, groups } = parts;
  const rows = [...parts.unreadable, ...held.unknown.values()];
  const unreadable = { rows, edges: damagedEdges, jobs: damagedJobs };
  const shelf = groups.size > 0 && { shelf: { groups, next: new Map() } };
  return { meta, edges, jobs, queues, tickAtMs, ...(rows.length > 0 && { unreadable }), ...shelf };
}

function recalledIn({ recalled, groupNames }: CellParts, id: JobId): Pick<CellJob, 'recalledFrom'> {
  const digest = recalled.get(id);
  return digest === undefined ? {} : { recalledFrom: groupNames.get(digest) ?? digest };
}

/** What leases say of slices that have no rows: newer than what the intent says of them. */
function marksInLeases({ works }: CellParts): ReadonlyMap<JobId, SliceMarks> {
  const marks = new Map<JobId, SliceMarks>();
  for (const { leases } of works.values()) {
    for (const [id, { slice }] of leases) if (slice !== undefined) marks.set(id, slice);
  }
  return marks;
}

function textOf({ pk, sk }: Key): string {
  return `${pk} ${sk}`;
}

function edgeOf(
  parts: CellParts,
  name: EdgeName,
  unreadable: string | undefined,
  held: EdgeWork | undefined,
): CellEdge {
  const config = parts.configs.get(name)!;
  return {
    name,
    config: unreadable === undefined ? config : closedConfig(config, unreadable),
    facts: parts.facts.get(name) ?? null,
    report: polledAt(parts.reports.get(name) ?? null, parts.polls.get(name) ?? 0),
    work: parts.works.get(name) ?? held ?? null,
    ...(parts.capacityMax !== undefined && { capacityMax: parts.capacityMax }),
    ...(unreadable !== undefined && { unreadable }),
  };
}

/** Nothing more is given to it; that it shall drain or leave stands. */
function closedConfig({ drain, removing }: EdgeConfig, row: string): EdgeConfig {
  return { ...unreadableConfig(row), drain, removing };
}

/** The row for which an edge gets nothing more: its own, or that of a job of unknown size there. */
function closedBy(
  parts: CellParts,
  name: EdgeName,
  jobs: ReadonlyMap<JobId, Damaged<CellJob>>,
): string | undefined {
  const own = parts.closedEdges.get(name);
  if (own !== undefined || jobs.size === 0) return own;
  for (const [id, lease] of parts.works.get(name)?.leases ?? []) {
    const damaged = jobs.get(id);
    if (damaged?.standIn.intent === unknownIntent && !isEmpty(lease.ranges)) return damaged.row;
  }
  return undefined;
}

type Held = {
  /** Stands for the rows of edges that could not be read. */
  readonly works: ReadonlyMap<EdgeName, EdgeWork>;
  /** Jobs of which not even that can be read what such an edge holds. */
  readonly unknown: ReadonlyMap<JobId, string>;
};

function heldByDamaged(parts: CellParts, found: ReadonlyMap<string, Row>): Held {
  const works = new Map<EdgeName, EdgeWork>();
  const unknown = new Map<JobId, string>();
  for (const edge of parts.damagedEdges.keys()) {
    if (parts.works.has(edge)) continue;
    const leases = new Map<JobId, Lease>();
    for (const job of jobsIn(parts)) {
      const row = found.get(textOf(executionKey(job, edge)));
      if (row === undefined) continue;
      const execution = readable(row, decodeExecution);
      if (execution === null) unknown.set(job, textOf(row));
      else leases.set(job, leaseOf(parts, job, execution));
    }
    works.set(edge, { ...noEdgeWork, leases });
  }
  return { works, unknown };
}

/**
 * What was given and has not ended. A chunk that died here and was brought back by a retry may be
 * here again, unless another edge has it.
 */
function leaseOf(parts: CellParts, job: JobId, execution: Execution): Lease {
  const { chunks, done, dead, running, slots, startedAtMs } = execution;
  const slice = parts.slices.get(job);
  const open =
    slice === undefined
      ? subtract(chunks, dead)
      : subtract(chunks, unionAll([slice.done, slice.dead, slice.cancelled, heldOf(parts, job)]));
  return {
    ranges: union(subtract(open, done), running),
    reclaiming: emptyRanges,
    reclaimEpoch: null,
    slots,
    running,
    grantedAtMs: startedAtMs,
    startedAtMs,
    chunkMs: null,
    heldBefore: emptyRanges,
    doneHere: done,
    deadHere: dead,
  };
}

/** What edges hold of the job that can be read. */
function heldOf({ works }: CellParts, job: JobId): RangeSet {
  return unionAll([...works.values()].map(({ leases }) => leases.get(job)?.ranges ?? emptyRanges));
}

function standInOf(parts: CellParts, found: ReadonlyMap<string, Row>, id: JobId): CellJob {
  const row = found.get(textOf(specKey(id)));
  const job = row === undefined ? null : readable(row, decodeSpec);
  const intent = parts.intents.get(id) ?? (job === null ? unknownIntent : intentOf(job, false));
  const slice = parts.slices.get(id) ?? parts.initialSlices.get(id);
  return { id, intent, slice: slice ?? newSlice(emptyRanges) };
}

const unknownIntent: Intent = {
  spec: {
    queue: '',
    priority: 0,
    resources: {},
    run: { simulate: { seconds: 0 } },
    requires: { labels: {}, expressions: [], edges: [] },
    placement: { policy: 'spread', maxEdges: null, nodes: null },
    retries: { attempts: 1, backoffSeconds: 0, maxFailedChunks: null },
    lostAfterSeconds: 0,
    deadlineSeconds: null,
    name: null,
    keepOutput: 'none',
    offlineSeconds: null,
  },
  createdBy: null,
  specHash: '',
  chunking: { chunks: 0, chunkPower: 0, lastChunkPower: 0 },
  submittedAtMs: 0,
  cancelled: false,
  retryEpoch: 0,
  blockedByDependencies: false,
  foldedByCell: false,
};
