import { fillJob, type JobBody, type JobPatch } from '../contract/job-body.ts';
import { invalid, ProblemError } from '../contract/problem.ts';
import { type Chunking, isFinal, type JobSpec } from '../model/job.ts';
import { specBytesMax } from '../model/limits.ts';
import type { CellId, JobId } from '../model/names.ts';
import type { JobWithStatus } from '../model/stored-job.ts';
import { generationSpecOf } from '../services/generation.ts';
import { scaledTo } from '../services/instance-numbers.ts';
import { type Refusal, refuse, type Unchanged, unchanged } from './decision.ts';
import { type JobCells, openCellsOf } from './job-cells.ts';
import { bytesOf } from './submit.ts';

/**
 * What users change about a job that exists: priority, labels and retries while it is open, of a
 * service how many instances it has, and labels always. The spec and its copies in the cells change
 * in one transaction that names the version it has seen, so of two edits at once one wins.
 */
export type JobEdit = {
  readonly kind: 'edit';
  readonly id: JobId;
  /** Of the stored job; the change raises it by one. */
  readonly seenVersion: number;
  /** The whole spec as it is then. Its labels and `maxFailedChunks` are copied to the status. */
  readonly spec: JobSpec;
  readonly chunking: Chunking;
  /** Where its priority and its retries are copied to. */
  readonly cells: readonly CellId[];
  /** Once the job has ended it is no longer allowed. */
  readonly ofOpenJob: boolean;
  /** What of it changes. */
  readonly fields: readonly string[];
  /** What the timeline says of it. */
  readonly detail: string;
};

export function edit(
  found: JobWithStatus,
  cells: JobCells,
  patch: JobPatch,
): JobEdit | Unchanged | Refusal {
  if (Object.keys(patch).length === 0) return unchanged;
  const { job, status } = found;
  const { priority, retries, chunks } = patch;
  if (chunks !== undefined && job.spec.kind !== 'service') {
    return refuse(new ProblemError('conflict', 'Only a service can be scaled.'));
  }
  const onlyLabels = priority === undefined && retries === undefined && chunks === undefined;
  if (isFinal(status.state) && !onlyLabels) {
    const detail = `The job has ended ${status.state}; only its labels can change.`;
    return refuse(new ProblemError('conflict', detail));
  }
  const named = Object.entries(retries ?? {}).filter(([, value]) => value !== undefined);
  const spec: JobSpec = {
    ...job.spec,
    priority: priority ?? job.spec.priority,
    chunks: chunks ?? job.spec.chunks,
    labels: patch.labels ?? job.spec.labels,
    retries: { ...job.spec.retries, ...Object.fromEntries(named) },
  };
  if (bytesOf(spec) > specBytesMax) {
    const detail = `With this the spec would have more than ${specBytesMax} bytes.`;
    return refuse(invalid('/labels', detail));
  }
  const { id, version: seenVersion } = job;
  const chunking = chunks === undefined ? job.chunking : scaledTo(job.chunking, chunks);
  const fields = Object.keys(patch);
  const detail = `Changed: ${fields.join(', ')}.`;
  const ofOpenJob = !onlyLabels;
  const open = openCellsOf(cells);
  const change = { spec, chunking, cells: open, ofOpenJob, fields, detail };
  return { kind: 'edit', id, seenVersion, ...change };
}

/**
 * What brings a job that exists to this body, field by field. What it runs cannot change; where the
 * body leaves the chunking to us, the job keeps the one it has.
 */
export function patchTowards(
  stored: JobSpec,
  body: JobBody,
):
  | { readonly kind: 'patch'; readonly patch: JobPatch }
  | { readonly kind: 'generation'; readonly spec: JobSpec }
  | Refusal {
  const chunks = body.chunks ?? (body.power === stored.power ? stored.chunks : null);
  const pool = { largestEdgePower: null, policy: stored.placement.policy };
  const spec = keepingSecret(fillJob({ ...body, chunks }, pool).spec, stored);
  const { priority, labels, retries } = spec;
  if (isAnotherGeneration(stored, spec)) return { kind: 'generation', spec };
  if (!sameJson(withoutEditable(spec), withoutEditable(stored))) {
    const more = stored.restart === undefined ? '' : ', chunks, what it runs';
    const detail = `Of a job that exists only priority, labels${more} and retries can change.`;
    return refuse(new ProblemError('conflict', detail));
  }
  const patch = {
    ...(priority === stored.priority ? {} : { priority }),
    ...(sameJson(labels, stored.labels) ? {} : { labels }),
    ...(sameJson(retries, stored.retries) ? {} : { retries }),
    ...(spec.chunks === stored.chunks ? {} : { chunks: spec.chunks }),
  };
  return { kind: 'patch', patch };
}

/** No answer has the secret, so a body that was read and is sent again has none. */
function keepingSecret(spec: JobSpec, { onEnd }: JobSpec): JobSpec {
  const isSame = spec.onEnd?.url === onEnd?.url && spec.onEnd?.secret === undefined;
  return isSame && onEnd !== undefined ? { ...spec, onEnd } : spec;
}

/** Of a service, and only in what its instances run by and how they are brought to it. */
function isAnotherGeneration(stored: JobSpec, wanted: JobSpec): boolean {
  if (stored.restart === undefined || wanted.restart === undefined) return false;
  const { update: _old, ...before } = withoutGeneration(stored);
  const { update: _new, ...after } = withoutGeneration(wanted);
  if (!sameJson(before, after)) return false;
  return !sameJson(generationSpecOf(stored), generationSpecOf(wanted));
}

function withoutGeneration(spec: JobSpec): Partial<JobSpec> {
  const { run, resources, requires, inputs, restart, ready, ports, stopGraceSeconds, ...rest } =
    spec;
  const { priority, labels, retries, chunks, ...fixed } = rest;
  return fixed;
}

function withoutEditable({ priority, labels, retries, chunks, ...fixed }: JobSpec): object {
  return fixed.restart === undefined ? { ...fixed, chunks } : fixed;
}

/** The same members with the same values, in whatever order. */
function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const left = Object.entries(a);
  const right = new Map(Object.entries(b));
  if (Array.isArray(a) !== Array.isArray(b) || left.length !== right.size) return false;
  return left.every(([name, value]) => right.has(name) && sameJson(value, right.get(name)));
}
