import type { JobspecAnswer } from '../../../core/contract/jobspec/jobspec-answer.ts';
import { nothingStaged } from '../../../core/contract/jobspec/stages.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import type { JobCreation } from '../../../core/jobs/submit.ts';
import { nameOfCaller } from '../../../core/model/caller.ts';
import { jobIdRandomBytes, makeJobId } from '../../../core/model/names.ts';
import type { Submission } from '../../../core/model/submission.ts';
import { bodiesOf, decideJobs, makeJobs } from '../../submissions/make-jobs.ts';
import { submittedWords } from '../../submissions/submitted-words.ts';
import { tooManyPools } from '../fleet/too-many-pools.ts';
import { auditEvent } from '../http/audit.ts';
import { type Answer, type Call, checkQuery } from '../http/call.ts';
import { answerAgain, firstAnswer, readIdempotencyKey } from '../http/idempotency.ts';
import { checkInputs } from '../jobs/change/check-inputs.ts';
import type { SubmitDeps } from '../jobs/change/write-ports.ts';
import { jobView } from '../jobs/view/job-view.ts';
import { type Context, contextOf } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { type Placed, placeJobspec } from './place-asked.ts';
import { type AskedJobspec, readJobspec } from './read-jobspec.ts';
import { satisfied } from './satisfy-jobspec.ts';

/**
 * `POST /v1/jobspecs`: a jobspec of version 1, as YAML or JSON, alone or with what is wanted of it.
 * Everything is decided before anything is stored: where it goes, and each of its jobs. Then it is
 * stored as a whole, and its jobs are made; whatever happens in between, they will be. One that
 * waits for somebody who has what it needs is only stored: its jobs are made when it has a place.
 */
export const submitJobspec = { handle };

export type SubmitJobspecDeps = SubmitDeps &
  Pick<Ports, 'edges' | 'pools' | 'clusters' | 'submissions' | 'files'>;

async function handle(call: Call, deps: SubmitJobspecDeps): Promise<Answer> {
  checkQuery(call, ['pool', 'queue', 'clusters', 'unsatisfied']);
  const key = readIdempotencyKey(call);
  const asked = readJobspec(call);
  const context = contextOf(call);
  if (asked.envelope.satisfyOnly) return satisfied(asked, false, context, deps);
  const id = makeJobId(context.nowMs, deps.random.bytes(jobIdRandomBytes));
  const placed = await placeJobspec(asked, id, context, deps);
  const submission = submissionOf(asked, placed, id, context, deps);
  for (const { body } of bodiesOf(submission, asked.plan)) {
    await checkInputs(body, deps.files, context.nowMs);
  }
  const cells = await deps.cells.ofPool(asked.pool, context.nowMs);
  if (cells === null) throw tooManyPools(asked.pool);
  const { caller } = context;
  const decided = await decideJobs(submission, asked.plan, caller, cells, deps);
  const answer = answerOf(submission, placed, decided);
  const kept = key === null ? null : firstAnswer(call, key, answer);
  const audit = auditEvent(context, `jobspec-submitted: pool ${asked.pool}`, id);
  const outcome = await deps.submissions.create(submission, kept, audit);
  if (outcome === 'key-taken') return answerAgain(call, key ?? '', deps.idempotency);
  if (outcome === 'id-taken') throw new ProblemError('job-exists');
  if (submission.waits) return answer;
  const auditFor = ({ job }: JobCreation) => auditEvent(context, submittedWords(job), job.id);
  const impossible = await makeJobs(submission, caller, auditFor, deps);
  const made = { ...submission, impossible, isOpen: false, version: 2 };
  // Who cancelled it meanwhile goes on with it.
  await deps.submissions.save(made, 1);
  return answer;
}

function submissionOf(
  { plan, pool, queue, text, envelope }: AskedJobspec,
  { placing, selection, cluster, asked }: Placed,
  id: Submission['id'],
  { caller, nowMs }: Context,
  { random }: SubmitJobspecDeps,
): Submission {
  return {
    id,
    name: plan.name,
    pool,
    queue,
    createdAtMs: nowMs,
    createdBy: nameOfCaller(caller),
    text,
    cluster,
    placing,
    decision: selection,
    asked,
    staged: envelope.stages ?? nothingStaged,
    labels: envelope.labels ?? {},
    jobs: plan.units.map(({ name, after }, at) => ({
      unit: name,
      id: makeJobId(nowMs + at, random.bytes(jobIdRandomBytes)),
      after,
    })),
    impossible: [],
    isOpen: true,
    waits: cluster === null,
    lookedAtMs: nowMs,
    cancelledAtMs: null,
    version: 1,
  };
}

function answerOf(
  { id, cluster, jobs }: Submission,
  { answers, totals, selection }: Placed,
  decided: ReadonlyMap<string, JobCreation>,
): Answer {
  const body: JobspecAnswer = {
    id,
    cluster,
    clusters: [...answers],
    totals,
    selection: selection as JobspecAnswer['selection'],
    jobs: jobs.map(({ unit }) => ({ task: unit, job: jobView(decided.get(unit)!, []) })),
  };
  return { status: 202, headers: { location: `/v1/jobspecs/${id}` }, body };
}
