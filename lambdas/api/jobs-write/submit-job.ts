import { createHash, randomBytes } from 'node:crypto';
import type { JobWithStatus } from '../../../adapters/dynamodb/jobs-store.ts';
import { nameOfCaller, seesJob } from '../../../core/caller.ts';
import { isFinal } from '../../../core/job.ts';
import { newJobStatus } from '../../../core/job-status.ts';
import { specBytesMax } from '../../../core/limits.ts';
import { type CellId, type JobId, makeJobId } from '../../../core/names.ts';
import type { RangeSet } from '../../../core/ranges.ts';
import type { StoredJob } from '../../../core/stored-job.ts';
import { agentSpec } from '../../../core/wire/agent-spec.ts';
import { fillJob, type JobBody, jobBodySchema } from '../../../core/wire/job-body.ts';
import { invalid, ProblemError } from '../../../core/wire/problem.ts';
import { type Answer, type Call, callerOf, checkQuery } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { answerAgain, putIdempotent, readIdempotencyKey } from '../http/idempotency.ts';
import { readBody } from '../http/json-body.ts';
import { divideJob } from '../views/divide-job.ts';
import { jobView } from '../views/job-view.ts';
import type { SubmitDeps } from './deps.ts';

/**
 * `POST /v1/jobs`: checks the body, decides which cells get which chunks, and stores everything in
 * one transaction. A job that nothing can run now is stored all the same and waits with a reason.
 * Nothing of a refused request is stored.
 */
export async function submitJob(call: Call, deps: SubmitDeps): Promise<Answer> {
  checkQuery(call, []);
  const key = readIdempotencyKey(call);
  const body = readBody(call, jobBodySchema);
  const id = makeJobId(call.nowMs, randomBytes(9));
  return storeJob(call, deps, { id, body, key });
}

/** A token that is limited submits only where it sees. */
export function checkPlace(call: Call, body: JobBody): void {
  if (seesJob(callerOf(call), body)) return;
  throw new ProblemError('forbidden', 'This token may not submit to this pool and queue.');
}

export type Submission = {
  readonly id: JobId;
  readonly body: JobBody;
  readonly key: string | null;
};

export async function storeJob(
  call: Call,
  deps: SubmitDeps,
  submission: Submission,
): Promise<Answer> {
  const { id, body, key } = submission;
  checkPlace(call, body);
  const [prepared, openParents] = await Promise.all([
    prepare(call, deps, id, body),
    openParentsOf(call, deps, body),
  ]);
  const { job, shares } = prepared;
  const { spec, cut, cells } = job;
  const status = newJobStatus({
    job: id,
    name: spec.name,
    pool: spec.pool,
    queue: spec.queue,
    labels: spec.labels,
    cut,
    cells,
    dependsOn: openParents,
    createdAtMs: call.nowMs,
    maxFailedChunks: spec.retries.maxFailedChunks,
  });
  const answer = acceptedAnswer({ job, status });
  const also = key === null ? [] : [putIdempotent(call, key, answer)];
  const outcome = await deps.jobs.create({ job, status, shares, openParents, also });
  switch (outcome) {
    case 'created':
      return answer;
    case 'also-refused':
      return answerAgain(call, key ?? '', deps.idempotency);
    case 'parent-ended':
      return storeJob(call, deps, submission);
    case 'id-taken':
      throw new ProblemError('job-exists');
  }
}

export function acceptedAnswer(found: JobWithStatus): Answer {
  const answer = tagged(202, found.job.version, jobView(found, []));
  const location = `/v1/jobs/${found.job.id}`;
  return { ...answer, headers: { ...answer.headers, location } };
}

async function prepare(
  call: Call,
  deps: SubmitDeps,
  id: JobId,
  body: JobBody,
): Promise<{ job: StoredJob; shares: ReadonlyMap<CellId, RangeSet> }> {
  const pool = await deps.cells.ofPool(body.pool, call.nowMs);
  const { spec, cut } = fillJob(body, pool);
  const bytes = Buffer.byteLength(JSON.stringify(spec));
  if (bytes > specBytesMax) {
    throw invalid('', `A job spec has at most ${specBytesMax} bytes; this one has ${bytes}.`);
  }
  const shares = await divideJob(deps, spec, cut, pool.metas);
  const createdBy = nameOfCaller(callerOf(call));
  const job: StoredJob = {
    id,
    spec,
    cut,
    specHash: hashOf(JSON.stringify(agentSpec(id, '', spec, cut, createdBy))),
    cells: [...shares.keys()],
    generation: 1,
    createdAtMs: call.nowMs,
    createdBy,
    version: 1,
    retryEpoch: 0,
    cancelledAtMs: null,
  };
  return { job, shares };
}

/** The jobs of `dependsOn` that have not ended; one that ended badly can never be waited for. */
export async function openParentsOf(
  call: Call,
  deps: Pick<SubmitDeps, 'jobs'>,
  body: JobBody,
): Promise<JobId[]> {
  if (body.dependsOn.length === 0) return [];
  const caller = callerOf(call);
  const found = await deps.jobs.findMany(body.dependsOn as JobId[]);
  const byId = new Map(found.map((it) => [it.job.id, it]));
  return body.dependsOn.flatMap((parent, at) => {
    const it = byId.get(parent as JobId);
    if (it === undefined || !seesJob(caller, it.job.spec)) {
      throw invalid(`/dependsOn/${at}`, `There is no job "${parent}" to wait for.`);
    }
    const { state } = it.status;
    if (!isFinal(state)) return [parent as JobId];
    if (state === 'done') return [];
    const detail = `Job "${parent}" ended ${state}, so a job that waits for it could never start.`;
    throw new ProblemError('unsatisfiable', detail);
  });
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}
