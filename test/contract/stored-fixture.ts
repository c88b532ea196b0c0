import { expect } from 'vitest';
import type { JobCreation } from '../../core/jobs/submit.ts';
import type { Cell, CellMeta } from '../../core/model/cell.ts';
import { noChunks } from '../../core/model/job.ts';
import {
  type CellId,
  cellIdOf,
  type EdgeName,
  edgeNameOf,
  type JobId,
} from '../../core/model/names.ts';
import type { ChunkEnd, Execution, JobCellStatus, Plan } from '../../core/model/plan.ts';
import { count, emptyRanges, rangeOf } from '../../core/model/ranges.ts';
import type { JobWithStatus } from '../../core/model/stored-job.ts';
import type { AuditEvent } from '../../core/ports/audit.ts';
import type { EdgeIdentity, Enrolment } from '../../core/ports/edges.ts';
import type { JobTrace } from '../../core/ports/jobs.ts';
import { makeCellStatus, plainConfig, startMs } from '../core/cell-fixture.ts';
import { creation } from '../core/jobs/job-fixture.ts';
import type { Stores } from './stored-ports.ts';

/** What contracts store before they ask: through the ports, as the product would. */
export const north = cellIdOf('default.0');
export const south = cellIdOf('default.1');

export function makeIdentity(name: string, over: Partial<EdgeIdentity> = {}): EdgeIdentity {
  return {
    edge: edgeNameOf(name),
    cell: north,
    keyHash: null,
    certificateId: null,
    certificate: null,
    previousCertificateId: null,
    renewedAtMs: null,
    credentials: [`secret-of-${name}`],
    enrolledAtMs: startMs,
    removingSinceMs: null,
    ...over,
  };
}

export function makeEnrolment(name: string, over: Partial<EdgeIdentity> = {}): Enrolment {
  return {
    identity: makeIdentity(name, over),
    config: plainConfig,
    facts: { capacity: { power: 250 }, labels: { site: 'north' }, flat: { 'os.version': '12' } },
    allFacts: { os: { version: '12', serial: 'A-1' } },
  };
}

/** Makes the first cell of the pool `default`, and an edge in it. */
export async function enrol(
  { pools, edges }: Pick<Stores, 'pools' | 'edges'>,
  name: string,
  over: Partial<EdgeIdentity> = {},
): Promise<EdgeIdentity> {
  await pools.ensureCell('default', 0, startMs);
  const enrolment = makeEnrolment(name, over);
  expect(await edges.enrol(enrolment)).toBe('enrolled');
  return enrolment.identity;
}

export function auditOf(target: string, action = 'job-submitted'): AuditEvent {
  return { atMs: startMs, by: 'token:ci', action, target, requestId: `request-${target}` };
}

/** What a change of a job leaves behind. */
export function traceOf(id: JobId, atMs = startMs, kind = 'edited'): JobTrace {
  const event = { atMs, kind, by: 'token:ci', detail: `${kind}.` };
  return { audit: auditOf(id, `job-${kind}`), event };
}

/** A job of sixteen chunks, eight in each of two cells. */
export async function submit(
  stores: Pick<Stores, 'pools' | 'changes'>,
  id: JobId,
  made: CreationParts = {},
): Promise<JobCreation> {
  for (const index of [0, 1]) await stores.pools.ensureCell('default', index, startMs);
  const creation = makeCreation(id, made);
  expect(await stores.changes.create(creation, null, auditOf(id))).toBe('created');
  return creation;
}

type CreationParts = {
  readonly parents?: readonly JobWithStatus[];
  readonly createdAtMs?: number;
  readonly pool?: string;
  readonly labels?: Readonly<Record<string, string>>;
};

export function makeCreation(id: JobId, parts: CreationParts = {}): JobCreation {
  const { parents = [], createdAtMs = startMs, pool = 'default', labels = {} } = parts;
  const dependsOn = parents.map((parent) => parent.job.id);
  const made = creation({ dependsOn }, { parents });
  const spec = { ...made.job.spec, pool, labels };
  return {
    ...made,
    job: { ...made.job, id, createdAtMs, spec },
    status: { ...made.status, job: id, createdAtMs, pool, labels },
  };
}

/** Commits what a pass over the cell would have written. */
export async function commit(
  { cells }: Pick<Stores, 'cells'>,
  cell: CellId,
  parts: Partial<Plan>,
): Promise<void> {
  const { meta } = (await cells.load(cell))!;
  expect(await cells.commit(planOver(meta, parts))).toBe('committed');
}

/** A plan that changes nothing but what it is given. */
export function planOver(meta: CellMeta, parts: Partial<Plan>): Plan {
  return {
    seenVersion: meta.version,
    meta: { ...meta, version: meta.version + 1 },
    works: new Map(),
    slices: new Map(),
    endedJobs: new Set(),
    removedEdges: new Set(),
    jobStatuses: new Map(),
    folds: new Map(),
    executions: [],
    chunkEnds: [],
    shadows: new Set(),
    alarms: [],
    lookAgainAtMs: null,
    ...parts,
  };
}

export function cellStatus(job: JobId, over: Partial<JobCellStatus> = {}): JobCellStatus {
  const { done = emptyRanges, dead = emptyRanges } = over;
  const counts = { ...noChunks, total: 8, done: count(done), dead: count(dead) };
  const donePower = 100 * count(done);
  return makeCellStatus(job, { counts, donePower, startedAtMs: startMs, ...over });
}

export function executionOf(job: JobId, edge: EdgeName, over: Partial<Execution> = {}): Execution {
  return {
    job,
    submittedAtMs: startMs,
    edge,
    chunks: rangeOf(0, 4),
    done: rangeOf(0, 2),
    running: rangeOf(2, 3),
    dead: emptyRanges,
    power: 400,
    slots: 2,
    startedAtMs: startMs,
    endedAtMs: null,
    ...over,
  };
}

export function chunkEnd(job: JobId, chunk: number, over: Partial<ChunkEnd> = {}): ChunkEnd {
  const edge = edgeNameOf('edge-0');
  return { job, chunk, edge, attempts: 2, failure: 7, state: 'dead', atMs: startMs, ...over };
}

/** A cell without where its slices lie, which only those who write rows care about. */
export function contentOf(cell: Cell | null): Cell | null {
  if (cell === null) return null;
  const jobs = [...cell.jobs].map(([name, { id, intent, slice }]) => {
    return [name, { id, intent, slice }] as const;
  });
  return { ...cell, jobs: new Map(jobs) };
}
