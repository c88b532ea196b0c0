import { type JobBody, jobBodySchema } from '../../core/contract/job-body.ts';
import { jobsOf } from '../../core/contract/jobspec/job-bodies.ts';
import { jobspecSchema } from '../../core/contract/jobspec/jobspec-schema.ts';
import { type JobspecPlan, tasksOf } from '../../core/contract/jobspec/plan.ts';
import { planJobspec } from '../../core/contract/jobspec/plan-jobspec.ts';
import { ProblemError } from '../../core/contract/problem.ts';
import { checkBody } from '../../core/contract/validation.ts';
import { type JobCreation, type Surroundings, submit } from '../../core/jobs/submit.ts';
import type { SubmissionPart } from '../../core/model/job.ts';
import { isFinal } from '../../core/model/job.ts';
import { changeAttemptsMax } from '../../core/model/limits.ts';
import type { JobId } from '../../core/model/names.ts';
import type { JobWithStatus } from '../../core/model/stored-job.ts';
import type { Submission } from '../../core/model/submission.ts';
import type { AuditEvent } from '../../core/ports/audit.ts';
import type { JobChanges, JobsStore } from '../../core/ports/jobs.ts';
import type { PoolCells, PoolCellsReader } from '../../core/ports/pools.ts';
import { assignedBy } from './assigned-event.ts';
import { parseYaml } from './parse-yaml.ts';
import { hashOf, type SurroundingsDeps, surroundingsOf } from './surroundings.ts';

/**
 * The jobs of a submission, which its text and its placing say. Making them is repeatable: each
 * has its id before anything is stored, so whoever goes on makes those that are missing.
 */
export type MakeDeps = SurroundingsDeps & {
  readonly jobs: Pick<JobsStore, 'findMany'>;
  readonly changes: Pick<JobChanges, 'create'>;
  readonly cells: PoolCellsReader;
};

export function planOfText(text: string): JobspecPlan {
  const checked = checkBody(jobspecSchema, parseYaml(text, 'The jobspec'));
  const planned = checked.ok ? planJobspec(checked.value) : checked;
  if (planned.ok) return planned.plan;
  throw new ProblemError('invalid-request', planned.errors[0]?.message ?? 'not a jobspec');
}

type Wanted = {
  readonly unit: string;
  readonly id: JobId;
  readonly body: JobBody;
  readonly part: SubmissionPart | undefined;
};

/** The bodies as they are submitted, each with the ids of those it waits for. */
export function bodiesOf(submission: Submission, plan: JobspecPlan): readonly Wanted[] {
  const { jobs, pool, queue, placing, staged, id: own } = submission;
  const ids = new Map(jobs.map(({ unit, id }) => [unit, id]));
  const tasks = tasksOf(plan.units).length;
  const part = placing.to.kind === 'cluster' ? { id: own, tasks } : undefined;
  return jobsOf(plan, placing, staged).map(({ name, after, body }) => {
    const dependsOn = after.map((unit) => ids.get(unit)!);
    const labels = { ...submission.labels, ...(body.labels as object), 'jobspec/id': own };
    const checked = checkBody(jobBodySchema, { ...body, pool, queue, dependsOn, labels });
    if (!checked.ok) {
      const errors = checked.errors.map((it) => ({ ...it, message: `"${name}": ${it.message}` }));
      throw new ProblemError('invalid-request', errors[0]!.message, { errors });
    }
    return { unit: name, id: ids.get(name)!, body: checked.value, part };
  });
}

/** What making them will store, decided before anything is: refuses all if it refuses one. */
export async function decideJobs(
  submission: Submission,
  plan: JobspecPlan,
  caller: Parameters<typeof submit>[0]['caller'],
  cells: PoolCells,
  deps: SurroundingsDeps,
): Promise<ReadonlyMap<string, JobCreation>> {
  const decided = new Map<string, JobCreation>();
  const parents: JobWithStatus[] = [];
  for (const { unit, id, body, part } of bodiesOf(submission, plan)) {
    const found = await surroundingsOf(deps, { ...body, dependsOn: [] }, Promise.resolve(cells));
    const around: Surroundings = { ...found, parents };
    const decision = submit({ id, body, caller, part }, around, submission.createdAtMs, hashOf);
    if (decision.kind === 'refused') throw decision.problem;
    decided.set(unit, decision);
    parents.push({ job: decision.job, status: decision.status });
  }
  return decided;
}

/**
 * Makes those that are not there. One that waits for what ended badly can never start: it is not
 * made, and neither is what waits for it.
 */
export async function makeJobs(
  submission: Submission,
  caller: Parameters<typeof submit>[0]['caller'],
  auditFor: (job: JobCreation) => AuditEvent,
  deps: MakeDeps,
): Promise<readonly string[]> {
  const wanted = bodiesOf(submission, planOfText(submission.text));
  const found = await deps.jobs.findMany(wanted.map(({ id }) => id));
  const made = new Set<string>(found.map(({ job }) => job.id));
  const impossible = new Set<string>();
  for (const it of wanted) {
    if (made.has(it.id)) continue;
    const waitsInVain = it.body.dependsOn.some((id) => impossible.has(id));
    if (waitsInVain || !(await makeOne(it, submission, caller, auditFor, deps))) {
      impossible.add(it.id);
    }
  }
  return wanted.filter(({ id }) => impossible.has(id)).map(({ unit }) => unit);
}

async function makeOne(
  { id, body, part }: Wanted,
  submission: Submission,
  caller: Parameters<typeof submit>[0]['caller'],
  auditFor: (job: JobCreation) => AuditEvent,
  deps: MakeDeps,
): Promise<boolean> {
  const { pool, createdAtMs } = submission;
  for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
    const cells = await deps.cells.ofPool(pool, createdAtMs);
    if (cells === null) throw new ProblemError('limit-reached');
    const around = await surroundingsOf(deps, body, Promise.resolve(cells));
    if (around.parents.some(({ status }) => isFinal(status.state) && status.state !== 'done')) {
      return false;
    }
    const decision = submit({ id, body, caller, part }, around, createdAtMs, hashOf);
    if (decision.kind === 'refused') return false;
    const creation = { ...decision, events: [assignedBy(submission)] };
    const outcome = await deps.changes.create(creation, null, auditFor(creation));
    if (outcome === 'created' || outcome === 'id-taken') return true;
  }
  throw new ProblemError('temporarily-unavailable');
}
