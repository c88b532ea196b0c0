import type { JobCells } from '../../core/jobs/job-cells.ts';
import type { JobRetry } from '../../core/jobs/retry.ts';
import type { JobCreation } from '../../core/jobs/submit.ts';
import { type CellJob, type Intent, newSlice } from '../../core/model/cell.ts';
import { isFinal } from '../../core/model/job.ts';
import type { CellId, JobId } from '../../core/model/names.ts';
import type { Plan } from '../../core/model/plan.ts';
import type { AuditEvent } from '../../core/ports/audit.ts';
import type { JobChange, JobChanges, KeptAnswer } from '../../core/ports/jobs.ts';
import { carryOut as carryOutPlan, mayCommit, sharedIn, shelfOf } from './cells.ts';
import { answerKey } from './idempotency.ts';
import { eventPosition } from './jobs.ts';
import { changeJob, type JobRows, rowsOf, type Stored } from './stored.ts';

/** What users decide about jobs, carried out in memory: whole, or not at all. */
export function createMemoryJobChanges(stored: Stored): JobChanges {
  return {
    async cellsOf({ id, cells }): Promise<JobCells> {
      const counted = stored.jobs.get(id)?.cells ?? new Map();
      const known = new Set([...cells, ...counted.keys()]);
      for (const cell of known) recall(stored, cell, id);
      return new Map(
        [...known].map((cell) => {
          const open = stored.cells.get(cell)?.jobs.get(id);
          const asked = open?.intent.cancelledRanges;
          const status = counted.get(cell) ?? null;
          const isOpen = open !== undefined;
          return [cell, { isOpen, ...(asked && { cancelledRanges: asked }), status }];
        }),
      );
    },
    async allExecutions(id) {
      return [...(stored.jobs.get(id)?.executions.values() ?? [])];
    },
    async create(creation, kept, audit) {
      const { id } = creation.job;
      if (kept !== null && stored.firstAnswers.has(answerKey(kept.request))) return 'key-taken';
      if (!creation.openParents.every((parent) => isOpen(stored, parent))) return 'overtaken';
      if (!isStillLast(stored, creation)) return 'overtaken';
      if (stored.jobs.get(id)?.job != null) return 'id-taken';
      create(stored, creation);
      remember(stored, kept, audit);
      return 'created';
    },
    async createMany(creations, kept, audits) {
      if (kept !== null && stored.firstAnswers.has(answerKey(kept.request))) return 'key-taken';
      const parents = creations.flatMap(({ openParents }) => openParents);
      if (!parents.every((parent) => isOpen(stored, parent))) return 'overtaken';
      const isTaken = creations.some(({ job }) => stored.jobs.get(job.id)?.job != null);
      if (isTaken) return 'id-taken';
      for (const creation of creations) create(stored, creation);
      for (const audit of audits) remember(stored, null, audit);
      if (kept !== null) keep(stored, kept);
      return 'created';
    },
    async createPlaced(creation, plan, kept, audit) {
      const { id } = creation.job;
      if (!mayCommit(stored, plan) || foldedByOthers(stored, plan, id)) return 'conflict';
      if (!isStillLast(stored, creation)) return 'conflict';
      if (kept !== null && stored.firstAnswers.has(answerKey(kept.request))) return 'key-taken';
      if (stored.jobs.get(id)?.job != null) return 'id-taken';
      create(stored, creation);
      carryOutPlan(stored, plan);
      rowsOf(stored, id).status = creation.status;
      remember(stored, kept, audit);
      return 'created';
    },
    async commit(change, { audit, event }) {
      const rows = stored.jobs.get(change.id);
      if (rows?.job?.version !== change.seenVersion || !isStillOpen(stored, change)) {
        return 'conflict';
      }
      carryOut(stored, rows, change, event.atMs);
      rows.events.set(eventPosition(event), event);
      stored.audit.push(audit);
      return 'changed';
    },
    async purge({ id }) {
      stored.jobs.delete(id);
      stored.notices.delete(id);
    },
  };
}

/** What stands on the shelf comes back for whoever decides about it. */
function recall(stored: Stored, id: CellId, job: JobId): void {
  const shelf = new Map(shelfOf(stored, id));
  const place = shelf.get(job);
  const cell = stored.cells.get(id);
  if (place === undefined || cell === undefined) return;
  shelf.delete(job);
  stored.shelves.set(id, shelf);
  const back = { ...place.job, recalledFrom: place.group };
  stored.cells.set(id, { ...cell, jobs: new Map(cell.jobs).set(job, back) });
}

function remember(stored: Stored, kept: KeptAnswer | null, audit: AuditEvent): void {
  stored.audit.push(audit);
  if (kept !== null) keep(stored, kept);
}

function keep(stored: Stored, { request, answer, atMs }: KeptAnswer): void {
  const first = { digest: request.digest, startedAtMs: atMs, answer };
  stored.firstAnswers.set(answerKey(request), first);
}

function foldedByOthers(stored: Stored, plan: Plan, created: JobId): boolean {
  return sharedIn(stored, plan).some((job) => job !== created);
}

function isOpen(stored: Stored, job: JobId): boolean {
  const state = stored.jobs.get(job)?.status?.state;
  return state !== undefined && !isFinal(state);
}

function isStillLast(stored: Stored, { job: { spec }, onlyOne }: JobCreation): boolean {
  if (onlyOne === undefined) return true;
  return (stored.lastNamed.get(`${spec.pool} ${spec.name}`) ?? null) === onlyOne.after;
}

function create(stored: Stored, creation: JobCreation): void {
  const { job, status, intents, openParents, events = [] } = creation;
  if (creation.onlyOne !== undefined) {
    stored.lastNamed.set(`${job.spec.pool} ${job.spec.name}`, job.id);
  }
  const rows = rowsOf(stored, job.id);
  for (const event of events) rows.events.set(eventPosition(event), event);
  rows.job = job;
  rows.status = status;
  for (const [cell, { intent, ranges }] of intents) {
    open(stored, cell, { id: job.id, intent, slice: newSlice(ranges) });
  }
  for (const parent of openParents) {
    const parentRows = rowsOf(stored, parent);
    parentRows.dependants.add(job.id);
    if (parentRows.status !== null) {
      parentRows.status = { ...parentRows.status, foldedByCell: false };
    }
  }
}

function open(stored: Stored, id: CellId, job: CellJob): void {
  const cell = stored.cells.get(id);
  if (cell === undefined) {
    stored.orphans.set(id, [...(stored.orphans.get(id) ?? []), job]);
    return;
  }
  stored.cells.set(id, { ...cell, jobs: new Map(cell.jobs).set(job.id, job) });
}

/** Labels may change at any time, and a retry comes after the end. */
function isOfOpenJob(change: JobChange): boolean {
  return change.kind === 'edit' ? change.ofOpenJob : change.kind !== 'retry';
}

/** Every cell that the change speaks of has the job, or has it no longer, as the change says. */
function isStillOpen(stored: Stored, change: JobChange): boolean {
  if (isOfOpenJob(change) && !isOpen(stored, change.id)) return false;
  const has = (cell: CellId) => stored.cells.get(cell)?.jobs.has(change.id) === true;
  if (change.kind !== 'retry') return change.cells.every(has);
  return change.raised.every(has) && ![...change.reopened.keys()].some(has);
}

function carryOut(stored: Stored, rows: JobRows, change: JobChange, lastEventAtMs: number): void {
  const job = { ...rows.job!, version: change.seenVersion + 1 };
  const version = rows.status!.version + 1;
  const status = { ...rows.status!, version, lastEventAtMs, foldedByCell: false };
  switch (change.kind) {
    case 'edit': {
      const { priority, retries, labels } = change.spec;
      const { chunking } = change;
      rows.job = { ...job, spec: change.spec, chunking };
      rows.status = { ...status, chunking, labels, maxFailedChunks: retries.maxFailedChunks };
      changeIntents(stored, change.cells, change.id, (it) => {
        return { ...it, chunking, spec: { ...it.spec, priority, retries } };
      });
      return;
    }
    case 'cancel':
      rows.job = { ...job, cancelledAtMs: change.atMs };
      rows.status = { ...status, cancelled: true };
      changeIntents(stored, change.cells, change.id, (it) => ({ ...it, cancelled: true }));
      return;
    case 'cancel-ranges': {
      const { cancelledRanges } = change;
      rows.job = { ...job, cancelledRanges };
      rows.status = { ...status, cancelledRanges };
      changeIntents(stored, change.cells, change.id, (it) => ({ ...it, cancelledRanges }));
      return;
    }
    case 'retry':
      rows.job = { ...job, retryEpoch: change.retryEpoch };
      rows.status = { ...status, ...change.status };
      retryIn(stored, change);
      return;
    case 'update': {
      const { spec, specHash, chunking, generation, intent, dropped } = change;
      const { lastRestart: _seen, ...kept } = job;
      rows.job = { ...kept, spec, specHash, chunking, generation };
      rows.status = { ...status, chunking, labels: spec.labels };
      changeIntents(stored, change.cells, change.id, (it) => {
        const { rollout } = intent;
        return { ...it, spec: intent.spec, specHash, chunking, rollout };
      });
      for (const one of change.kept) rows.generations.set(one.generation, one);
      if (dropped !== null) rows.generations.delete(dropped);
      return;
    }
    case 'restart': {
      const { restarts, rollout } = change;
      rows.job = { ...job, restarts, ...(rollout.restart && { lastRestart: rollout.restart }) };
      rows.status = status;
      changeIntents(stored, change.cells, change.id, (it) => ({ ...it, rollout }));
    }
  }
}

function retryIn(stored: Stored, change: JobRetry): void {
  const { id, retryEpoch } = change;
  changeIntents(stored, change.raised, id, (it) => ({ ...it, retryEpoch }));
  for (const name of change.overtaken) {
    const cell = stored.cells.get(name);
    if (cell === undefined) continue;
    const meta = { ...cell.meta, version: cell.meta.version + 1 };
    stored.cells.set(name, { ...cell, meta });
  }
  for (const [cell, { intent, slice }] of change.reopened) {
    open(stored, cell, { id, intent, slice });
  }
}

function changeIntents(
  stored: Stored,
  cells: readonly CellId[],
  id: JobId,
  change: (intent: Intent) => Intent,
): void {
  for (const cell of cells) {
    changeJob(stored, cell, id, (job) => ({ ...job, intent: change(job.intent) }));
  }
}
