import { parse } from 'yaml';
import type { SubmissionAnswer } from '../../../core/contract/jobspec/jobspec-answer.ts';
import { type JobspecPlan, tasksOf, type Unit } from '../../../core/contract/jobspec/plan.ts';
import { runSizeOf } from '../../../core/contract/jobspec/terms.ts';
import { notFound } from '../../../core/contract/problem.ts';
import { submissionStatus, unitStates } from '../../../core/jobs/submission-status.ts';
import { type Caller, seesJob } from '../../../core/model/caller.ts';
import type { JobId } from '../../../core/model/names.ts';
import type { JobWithStatus } from '../../../core/model/stored-job.ts';
import type { Submission } from '../../../core/model/submission.ts';
import { yamlAliasesMax } from '../../limits.ts';
import { planOfText } from '../../submissions/make-jobs.ts';
import { timeOf, timeOrNull } from '../jobs/view/job-view.ts';
import type { Ports } from '../ports.ts';

export type SubmissionReading = Pick<Ports, 'submissions' | 'jobs'>;
export type FoundJobs = ReadonlyMap<string, JobWithStatus>;

/** The submission of this id, or 404: also when the caller may not see it. */
export async function visibleSubmission(
  id: JobId,
  caller: Caller,
  deps: Pick<Ports, 'submissions'>,
): Promise<Submission> {
  const found = await deps.submissions.find(id);
  if (found === null || !seesJob(caller, { spec: found, createdBy: found.createdBy }))
    throw notFound(`jobspec "${id}"`);
  return found;
}

export async function jobsOfSubmission(
  { jobs }: Submission,
  deps: Pick<Ports, 'jobs'>,
): Promise<FoundJobs> {
  const found = await deps.jobs.findMany(jobs.map(({ id }) => id));
  return new Map(found.map((it) => [it.job.id, it]));
}

type Listed = Omit<SubmissionAnswer, 'text' | 'jobspec' | 'selection'>;

export async function submissionView(
  submission: Submission,
  deps: Pick<Ports, 'jobs'>,
): Promise<Listed> {
  const found = await jobsOfSubmission(submission, deps);
  const plan = planOfText(submission.text);
  const { name, pool, queue, createdAtMs, createdBy, cluster, labels } = submission;
  return {
    id: submission.id,
    name,
    pool,
    queue,
    createdAt: timeOf(createdAtMs),
    createdBy,
    cluster,
    labels: { ...labels },
    status: submissionStatus(submission, found),
    jobs: taskViews(submission, plan, found),
    groups: await groupViews(submission, plan, found, deps),
  };
}

export function wholeView(submission: Submission, listed: Listed): SubmissionAnswer {
  return {
    ...listed,
    text: submission.text,
    jobspec: parse(submission.text, { maxAliasCount: yamlAliasesMax }),
    selection: submission.decision as SubmissionAnswer['selection'],
  };
}

/** Tasks of a group have its state: it is one job, and its script orders them. */
function taskViews(submission: Submission, plan: JobspecPlan, found: FoundJobs) {
  const states = unitStates(submission, found);
  const jobs = new Map(submission.jobs.map((it) => [it.unit, it]));
  return plan.units.flatMap((unit) => {
    const { id, after } = jobs.get(unit.name)!;
    const state = states.get(unit.name)!;
    return tasksOf([unit]).map(({ task, groups }) => ({
      task: task.name,
      group: groups.length === 0 ? null : groups.join('/'),
      job: id,
      state,
      dependsOn: [...(groups.length === 0 ? after : task.after)],
    }));
  });
}

async function groupViews(
  submission: Submission,
  plan: JobspecPlan,
  found: FoundJobs,
  deps: Pick<Ports, 'jobs'>,
) {
  const states = unitStates(submission, found);
  const views: SubmissionAnswer['groups'] = [];
  for (const { unit: name, id } of submission.jobs) {
    const unit = plan.units.find((it) => it.name === name)!;
    if (unit.kind === 'task') continue;
    const status = found.get(id)?.status;
    const [execution] = status === undefined ? [] : await deps.jobs.executions(id, null, 1);
    const visit = (it: Unit, parent: string | null, path: string) => {
      if (it.kind === 'task') return;
      views.push({
        group: path,
        parent,
        job: id,
        state: states.get(name)!,
        edge: execution?.edge ?? null,
        resources: resourcesOf(plan, submission, it),
        heldAt: timeOrNull(status?.startedAtMs ?? null),
        releasedAt: timeOrNull(status?.endedAtMs ?? null),
      });
      for (const member of it.members) visit(member, path, `${path}/${member.name}`);
    };
    visit(unit, null, name);
  }
  return views;
}

function resourcesOf(plan: JobspecPlan, { placing }: Submission, unit: Unit) {
  const { pointer, names } = unit.choice;
  const size = runSizeOf(plan.terms.get(placing.chosen.get(pointer) ?? names[0]!)!);
  const nodes = size.nodes * size.slots;
  const amounts = [...size.each].map(([type, count]) => [type, count * nodes] as const);
  return Object.fromEntries([['node', nodes], ...amounts]);
}
