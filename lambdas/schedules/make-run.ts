import { jobBodySchema } from '../../core/contract/job-body.ts';
import { ProblemError } from '../../core/contract/problem.ts';
import { checkBody } from '../../core/contract/validation.ts';
import { submit } from '../../core/jobs/submit.ts';
import { isFinal } from '../../core/model/job.ts';
import { changeAttemptsMax } from '../../core/model/limits.ts';
import { type JobId, jobIdOf } from '../../core/model/names.ts';
import type { JobWithStatus } from '../../core/model/stored-job.ts';
import type { AuditEvent } from '../../core/ports/audit.ts';
import type { EdgesStore } from '../../core/ports/edges.ts';
import type { JobChanges, JobsStore } from '../../core/ports/jobs.ts';
import type { PoolCellsReader } from '../../core/ports/pools.ts';
import type { Run, Schedule } from '../../core/schedules/schedule.ts';
import { callerNamed } from '../submissions/caller-named.ts';
import { changeOne } from '../submissions/change-jobs.ts';
import { submittedWords } from '../submissions/submitted-words.ts';
import { hashOf, surroundingsOf } from '../submissions/surroundings.ts';

export type MakeRunDeps = {
  readonly jobs: Pick<JobsStore, 'find' | 'findMany' | 'named'>;
  readonly changes: Pick<JobChanges, 'create' | 'cellsOf' | 'commit' | 'allExecutions'>;
  readonly edges: Pick<EdgesStore, 'cellsOf' | 'listCell'>;
  readonly cells: PoolCellsReader;
};

export type Wanted = {
  readonly atMs: number;
  readonly id: JobId;
  /** The job of the time before, if there was one. */
  readonly previous: string | null;
  /** Somebody asked for it: then nothing keeps it back. */
  readonly isAsked: boolean;
};

/**
 * Makes the job of one time, or says why there is none. The id follows from the time, so doing it
 * again, or twice at once, makes no second one.
 */
export async function makeRun(
  schedule: Schedule,
  { atMs, id, previous, isAsked }: Wanted,
  nowMs: number,
  deps: MakeRunDeps,
): Promise<Run> {
  const run = { atMs, madeAtMs: nowMs };
  if ((await deps.jobs.find(id)) !== null) return { ...run, ...made(id) };
  const open = isAsked || schedule.overlap === 'allow' ? null : await openJob(previous, deps);
  if (open !== null && schedule.overlap === 'skip') {
    const detail = `job ${open.job.id} has not ended`;
    return { ...run, job: null, outcome: 'skipped', detail };
  }
  if (open !== null) await cancelPrevious(open, schedule, nowMs, deps);
  try {
    await createJob(schedule, id, nowMs, deps);
    return { ...run, ...made(id) };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code === 'temporarily-unavailable') throw error;
    return { ...run, job: null, outcome: 'failed', detail: error.message };
  }
}

const made = (id: string) => ({ job: id, outcome: 'made', detail: '' }) as const;

async function openJob(
  previous: string | null,
  { jobs }: Pick<MakeRunDeps, 'jobs'>,
): Promise<JobWithStatus | null> {
  const found = previous === null ? null : await jobs.find(jobIdOf(previous));
  return found === null || isFinal(found.status.state) ? null : found;
}

async function cancelPrevious(
  { job }: JobWithStatus,
  schedule: Schedule,
  nowMs: number,
  deps: MakeRunDeps,
): Promise<void> {
  const auditFor = () => traceOf(schedule, nowMs, 'job-cancelled: schedule', job.id);
  await changeOne(job.id, 'cancel', { by: schedule.createdBy, nowMs, auditFor }, deps);
}

async function createJob(
  schedule: Schedule,
  id: JobId,
  nowMs: number,
  deps: MakeRunDeps,
): Promise<void> {
  const checked = checkBody(jobBodySchema, schedule.job);
  if (!checked.ok) {
    throw new ProblemError('invalid-request', checked.errors[0]?.message ?? 'It is no job.');
  }
  const body = checked.value;
  const caller = callerNamed(schedule.createdBy);
  for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
    const cells = await deps.cells.ofPool(schedule.pool, nowMs);
    if (cells === null) throw new ProblemError('limit-reached');
    const around = await surroundingsOf(deps, body, Promise.resolve(cells));
    const decision = submit({ id, body, caller }, around, nowMs, hashOf);
    if (decision.kind === 'refused') throw decision.problem;
    const trace = traceOf(schedule, nowMs, submittedWords(decision.job), id);
    const outcome = await deps.changes.create(decision, null, trace);
    if (outcome === 'created' || outcome === 'id-taken') return;
  }
  throw new ProblemError('temporarily-unavailable');
}

function traceOf(
  { createdBy, name }: Schedule,
  atMs: number,
  action: string,
  target: string,
): AuditEvent {
  return { atMs, by: createdBy, action, target, requestId: `schedule-${name}` };
}
