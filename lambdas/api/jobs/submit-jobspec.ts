import { parseDocument } from 'yaml';
import type { JobAnswer } from '../../../core/contract/job-answer.ts';
import { type JobBody, jobBodySchema } from '../../../core/contract/job-body.ts';
import { type JobspecTask, translateJobspec } from '../../../core/contract/jobspec.ts';
import { jobspecSchema } from '../../../core/contract/jobspec-schema.ts';
import { invalid, ProblemError } from '../../../core/contract/problem.ts';
import { isName, jobIdRandomBytes, makeJobId } from '../../../core/model/names.ts';
import { type Answer, badQuery, type Call, callerOf, checkQuery } from '../http/call.ts';
import { onceFor } from '../http/idempotency.ts';
import { checked, readText } from '../http/json-body.ts';
import { contextOf } from '../operation.ts';
import { checkPlace, storeJob } from './change/store-job.ts';
import type { SubmitDeps } from './change/write-ports.ts';

/**
 * `POST /v1/jobspecs`: a jobspec of version 1, as YAML or JSON. All tasks are translated
 * and checked before the first is stored; then each becomes a job, those that others wait for
 * first. `Location` names the job when it is one.
 */
export const submitJobspec = { handle };

async function handle(call: Call, deps: SubmitDeps): Promise<Answer> {
  checkQuery(call, ['pool', 'queue']);
  const place = readPlace(call);
  const translation = translateJobspec(checked(jobspecSchema, readDocument(call)));
  if (!translation.ok) {
    const [first] = translation.errors;
    const detail = `The jobspec is not valid: ${first?.message ?? ''}`;
    throw new ProblemError('invalid-request', detail, { errors: translation.errors });
  }
  const bodies = translation.tasks.map((task) => ({
    task,
    body: checked(jobBodySchema, { ...task.body, ...place }),
  }));
  for (const { body } of bodies) checkPlace(callerOf(call), body);
  return onceFor(call, deps.idempotency, () => storeAll(call, deps, bodies));
}

async function storeAll(
  call: Call,
  deps: SubmitDeps,
  bodies: readonly { readonly task: JobspecTask; readonly body: JobBody }[],
): Promise<Answer> {
  const ids = new Map<string, string>();
  const jobs: { task: string; job: JobAnswer }[] = [];
  for (const { task, body } of bodies) {
    const id = makeJobId(call.nowMs + jobs.length, deps.random.bytes(jobIdRandomBytes));
    const dependsOn = task.after.map((name) => ids.get(name)!);
    const submission = { id, body: { ...body, dependsOn }, keep: null };
    const outcome = await storeJob(submission, contextOf(call), deps);
    if (typeof outcome === 'string') throw new ProblemError('job-exists');
    ids.set(task.name, id);
    jobs.push({ task: task.name, job: outcome.view });
  }
  const [only] = jobs;
  const headers = jobs.length === 1 ? { location: `/v1/jobs/${only!.job.id}` } : {};
  return { status: 202, headers, body: { jobs } };
}

function readPlace(call: Call): Record<string, string> {
  const place: Record<string, string> = {};
  for (const name of ['pool', 'queue']) {
    const value = call.query[name];
    if (value === undefined) continue;
    if (!isName(value)) throw badQuery(name, 'This cannot be a name.');
    place[name] = value;
  }
  return place;
}

const types = [
  /^(application|text)\/(x-)?yaml\b/i,
  /^application\/(json|[a-z0-9.-]+\+(json|yaml))\b/i,
  /^text\/plain\b/i,
];
const aliasesMax = 20;

/**
 * JSON is YAML too. Aliases are bounded, so that a small document cannot unfold into a huge one.
 */
function readDocument(call: Call): unknown {
  const type = call.headers['content-type'];
  if (type !== undefined && !types.some((pattern) => pattern.test(type))) {
    const detail = 'Send a jobspec as application/yaml or application/json.';
    throw new ProblemError('unsupported-media-type', detail);
  }
  const text = readText(call);
  if (text.trim() === '') throw invalid('', 'The body is empty; send a jobspec.');
  try {
    const document = parseDocument(text, { version: '1.2', uniqueKeys: true });
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS({ maxAliasCount: aliasesMax });
  } catch (error) {
    const mistake = error instanceof Error ? error.message.split('\n')[0] : 'it cannot be read';
    throw new ProblemError('invalid-json', `The body is no YAML: ${mistake}`);
  }
}
