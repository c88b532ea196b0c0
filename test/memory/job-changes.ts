import type { JobCells } from '../../core/jobs/job-cells.ts';
import type { JobRetry } from '../../core/jobs/retry.ts';
import type { JobCreation } from '../../core/jobs/submit.ts';
import { type CellJob, type Intent, newSlice } from '../../core/model/cell.ts';
import { isFinal } from '../../core/model/job.ts';
import type { CellId, JobId } from '../../core/model/names.ts';
import type { JobChange, JobChanges } from '../../core/ports/jobs.ts';
import { answerKey } from './idempotency.ts';
import { eventPosition } from './jobs.ts';
import { changeJob, type JobRows, rowsOf, type Stored } from './stored.ts';

/** What users decide about jobs, carried out in memory: whole, or not at all. */
export function createMemoryJobChanges(stored: Stored): JobChanges {
  return {
    async cellsOf({ id, cells }): Promise<JobCells> {
      const counted = stored.jobs.get(id)?.cells ?? new Map();
      const known = new Set([...cells, ...counted.keys()]);
      return new Map(
        [...known].map((cell) => {
          const isOpen = stored.cells.get(cell)?.jobs.has(id) === true;
          return [cell, { isOpen, status: counted.get(cell) ?? null }];
        }),
      );
    },
    async allExecutions(id) {
      return [...(stored.jobs.get(id)?.executions.values() ?? [])];
    },
    async create(creation, kept) {
      const { id } = creation.job;
      if (kept !== null && stored.firstAnswers.has(answerKey(kept.request))) return 'key-taken';
      if (!creation.openParents.every((parent) => isOpen(stored, parent))) return 'parent-ended';
      if (stored.jobs.get(id)?.job != null) return 'id-taken';
      create(stored, creation);
      if (kept !== null) {
        const { request, answer, atMs } = kept;
        const first = { digest: request.digest, startedAtMs: atMs, answer };
        stored.firstAnswers.set(answerKey(request), first);
      }
      return 'created';
    },
    async commit(change) {
      const rows = stored.jobs.get(change.id);
      if (rows?.job?.version !== change.seenVersion || !isStillOpen(stored, change)) {
        return 'conflict';
      }
      carryOut(stored, rows, change);
      return 'changed';
    },
    async purge({ id }) {
      stored.jobs.delete(id);
    },
    async addEvent(id, event) {
      rowsOf(stored, id).events.set(eventPosition(event), event);
    },
  };
}

function isOpen(stored: Stored, job: JobId): boolean {
  const state = stored.jobs.get(job)?.status?.state;
  return state !== undefined && !isFinal(state);
}

function create(stored: Stored, { job, status, intents, openParents }: JobCreation): void {
  const rows = rowsOf(stored, job.id);
  rows.job = job;
  rows.status = status;
  for (const [cell, { intent, ranges }] of intents) {
    open(stored, cell, { id: job.id, intent, slice: newSlice(ranges) });
  }
  for (const parent of openParents) rowsOf(stored, parent).dependants.add(job.id);
}

function open(stored: Stored, id: CellId, job: CellJob): void {
  const cell = stored.cells.get(id);
  if (cell === undefined) return;
  stored.cells.set(id, { ...cell, jobs: new Map(cell.jobs).set(job.id, job) });
}

/** Every cell that the change speaks of has the job, or has it no longer, as the change says. */
function isStillOpen(stored: Stored, change: JobChange): boolean {
  const has = (cell: CellId) => stored.cells.get(cell)?.jobs.has(change.id) === true;
  if (change.kind !== 'retry') return change.cells.every(has);
  return change.raised.every(has) && ![...change.reopened.keys()].some(has);
}

function carryOut(stored: Stored, rows: JobRows, change: JobChange): void {
  const job = { ...rows.job!, version: change.seenVersion + 1 };
  const status = { ...rows.status!, version: rows.status!.version + 1 };
  switch (change.kind) {
    case 'edit': {
      const { priority, retries, labels } = change.spec;
      rows.job = { ...job, spec: change.spec };
      rows.status = { ...status, labels, maxFailedChunks: retries.maxFailedChunks };
      changeIntents(stored, change.cells, change.id, (it) => {
        return { ...it, spec: { ...it.spec, priority, retries } };
      });
      return;
    }
    case 'cancel':
      rows.job = { ...job, cancelledAtMs: change.atMs };
      rows.status = { ...status, cancelled: true };
      changeIntents(stored, change.cells, change.id, (it) => ({ ...it, cancelled: true }));
      return;
    case 'retry':
      rows.job = { ...job, retryEpoch: change.retryEpoch };
      rows.status = { ...status, ...change.status };
      retryIn(stored, change);
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
