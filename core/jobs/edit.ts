import { fillJob, type JobBody, type JobPatch } from '../contract/job-body.ts';
import { invalid, ProblemError } from '../contract/problem.ts';
import { isFinal, type JobSpec } from '../model/job.ts';
import { specBytesMax } from '../model/limits.ts';
import type { CellId, JobId } from '../model/names.ts';
import type { JobWithStatus } from '../model/stored-job.ts';
import { type Refusal, refuse, type Unchanged, unchanged } from './decision.ts';
import { type JobCells, openCellsOf } from './job-cells.ts';
import { bytesOf } from './submit.ts';

/**
 * What users change about a job that exists: priority, labels and retries while it is open, labels
 * always. The spec and its copies in the cells change in one transaction that names the version it
 * has seen, so of two edits at once one wins.
 */
export type JobEdit = {
  readonly kind: 'edit';
  readonly id: JobId;
  /** Of the stored job; the change raises it by one. */
  readonly seenVersion: number;
  /** The whole spec as it is then. Its labels and `maxFailedChunks` are copied to the status. */
  readonly spec: JobSpec;
  /** Where its priority and its retries are copied to. */
  readonly cells: readonly CellId[];
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
  const onlyLabels = patch.priority === undefined && patch.retries === undefined;
  if (isFinal(status.state) && !onlyLabels) {
    const detail = `The job has ended ${status.state}; only its labels can change.`;
    return refuse(new ProblemError('conflict', detail));
  }
  const named = Object.entries(patch.retries ?? {}).filter(([, value]) => value !== undefined);
  const spec: JobSpec = {
    ...job.spec,
    priority: patch.priority ?? job.spec.priority,
    labels: patch.labels ?? job.spec.labels,
    retries: { ...job.spec.retries, ...Object.fromEntries(named) },
  };
  if (bytesOf(spec) > specBytesMax) {
    const detail = `With this the spec would have more than ${specBytesMax} bytes.`;
    return refuse(invalid('/labels', detail));
  }
  const { id, version: seenVersion } = job;
  const detail = `Changed: ${Object.keys(patch).join(', ')}.`;
  return { kind: 'edit', id, seenVersion, spec, cells: openCellsOf(cells), detail };
}

/**
 * What brings a job that exists to this body, field by field. What it runs cannot change; where the
 * body leaves the chunking to us, the job keeps the one it has.
 */
export function patchTowards(
  stored: JobSpec,
  body: JobBody,
): { readonly kind: 'patch'; readonly patch: JobPatch } | Refusal {
  const chunks = body.chunks ?? (body.power === stored.power ? stored.chunks : null);
  const pool = { largestEdgePower: null, policy: stored.placement.policy };
  const { spec } = fillJob({ ...body, chunks }, pool);
  const { priority, labels, retries } = spec;
  if (!sameJson(withoutEditable(spec), withoutEditable(stored))) {
    const detail = 'Of a job that exists only priority, labels and retries can change.';
    return refuse(new ProblemError('conflict', detail));
  }
  const patch = {
    ...(priority === stored.priority ? {} : { priority }),
    ...(sameJson(labels, stored.labels) ? {} : { labels }),
    ...(sameJson(retries, stored.retries) ? {} : { retries }),
  };
  return { kind: 'patch', patch };
}

function withoutEditable({ priority, labels, retries, ...fixed }: JobSpec): object {
  return fixed;
}

/** The same members with the same values, in whatever order. */
function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const left = Object.entries(a);
  const right = new Map(Object.entries(b));
  if (Array.isArray(a) !== Array.isArray(b) || left.length !== right.size) return false;
  return left.every(([name, value]) => right.has(name) && sameJson(value, right.get(name)));
}
