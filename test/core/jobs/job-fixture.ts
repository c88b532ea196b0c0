import { jobBodySchema } from '../../../core/contract/job-body.ts';
import type { JobInCell } from '../../../core/jobs/job-cells.ts';
import { type JobCreation, type Surroundings, submit } from '../../../core/jobs/submit.ts';
import type { Caller, TokenCaller } from '../../../core/model/caller.ts';
import { newCellMeta } from '../../../core/model/cell.ts';
import { type CellSummary, emptySummary } from '../../../core/model/cell-summary.ts';
import {
  type ChunkCounts,
  type JobSpec,
  type JobState,
  noChunks,
} from '../../../core/model/job.ts';
import { type CellId, cellIdOf, jobIdOf } from '../../../core/model/names.ts';
import { count, emptyRanges, type RangeSet } from '../../../core/model/ranges.ts';
import type { JobWithStatus } from '../../../core/model/stored-job.ts';
import { makeCellStatus, startMs } from '../cell-fixture.ts';

/** Jobs as their users made them: everything has a default, tests say only what they are about. */

export const jobId = jobIdOf('job-1');
export const north = cellIdOf('default.0');
export const south = cellIdOf('default.1');

export const admin: TokenCaller = {
  kind: 'token',
  id: 'admin',
  name: 'admin',
  scopes: ['jobs:write'],
  pool: null,
  queue: null,
  edge: null,
  edges: null,
};

export function makeMeta(cell: CellId, summary: Partial<CellSummary> = {}) {
  const edges = { ...emptySummary.edges, total: 3, connected: 3, free: 3 };
  const power = { total: 1_000, free: 1_000, reserved: 0, served: 0 };
  const living = { ...emptySummary, edges, power, largestEdgePower: 400, ...summary };
  return { ...newCellMeta(cell, 'default', startMs), summary: living };
}

export function makeSurroundings(over: Partial<Surroundings> = {}): Surroundings {
  return {
    policy: 'spread',
    largestEdgePower: 400,
    metas: [makeMeta(north), makeMeta(south)],
    namedCells: null,
    parents: [],
    ...over,
  };
}

export function submitted(
  body: object = {},
  around: Partial<Surroundings> = {},
  caller: Caller = admin,
) {
  const parsed = jobBodySchema.parse({ chunkPower: 100, chunks: 16, ...body });
  const wanted = { id: jobId, body: parsed, caller };
  return submit(wanted, makeSurroundings(around), startMs, (text) => `h${text.length}`);
}

export function creation(body: object = {}, around: Partial<Surroundings> = {}): JobCreation {
  const decision = submitted(body, around);
  if (decision.kind === 'refused') throw decision.problem;
  return decision;
}

/** A job as it is stored, some of its chunks being in this state. */
export function storedJob(
  over: {
    spec?: Partial<JobSpec>;
    state?: JobState;
    counts?: Partial<ChunkCounts>;
    cancelledAtMs?: number;
  } = {},
): JobWithStatus {
  const { job, status } = creation();
  const { spec, state = 'running', counts, cancelledAtMs = null } = over;
  return {
    job: { ...job, spec: { ...job.spec, ...spec }, version: 7, cancelledAtMs },
    status: { ...status, state, counts: { ...status.counts, ...counts } },
  };
}

export function inCell(
  isOpen: boolean,
  sets: { done?: RangeSet; dead?: RangeSet } = {},
): JobInCell {
  const { done = emptyRanges, dead = emptyRanges } = sets;
  const counts = {
    ...noChunks,
    total: count(done) + count(dead),
    done: count(done),
    dead: count(dead),
  };
  const endedAtMs = isOpen ? null : startMs + 1;
  const status = makeCellStatus(jobId, { counts, done, dead, startedAtMs: startMs, endedAtMs });
  return { isOpen, status };
}
