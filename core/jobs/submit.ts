import { fillJob, type JobBody } from '../contract/job-body.ts';
import { invalid, ProblemError } from '../contract/problem.ts';
import { type CellOffer, chooseCells } from '../fleet/choose-cells.ts';
import { type Caller, nameOfCaller, seesJob } from '../model/caller.ts';
import type { Intent } from '../model/cell.ts';
import type { SubmissionPart } from '../model/job.ts';
import { type Chunking, isFinal, type JobSpec, type PlacementPolicy } from '../model/job.ts';
import type { JobEvent } from '../model/job-event.ts';
import { type JobStatus, newJobStatus } from '../model/job-status.ts';
import { specBytesMax } from '../model/limits.ts';
import type { CellId, JobId } from '../model/names.ts';
import type { RangeSet } from '../model/ranges.ts';
import { intentOf, type JobWithStatus, type StoredJob } from '../model/stored-job.ts';
import { agentSpec } from '../protocol/agent-spec.ts';
import { type EdgeAsked, unsupportedRun } from '../runs/unsupported-run.ts';
import { newServiceCounts } from '../services/service.ts';
import { type Refusal, refuse } from './decision.ts';

/**
 * A new job: every default filled in, its chunks divided over the cells of its pool. A job that
 * nothing can run now is stored all the same and waits with a reason.
 */
export type Submission = {
  readonly id: JobId;
  /** Its answer is kept for whoever sends the request again. */
  readonly keepsAnswer?: boolean;
  readonly body: JobBody;
  readonly caller: Caller;
  /** Of which jobspec it is, if that went to one cluster. */
  readonly part?: SubmissionPart | undefined;
};

/** What of the fleet decides where a new job goes. */
export type Surroundings = {
  readonly policy: PlacementPolicy;
  readonly largestEdgePower: number | null;
  readonly metas: readonly CellOffer[];
  /** Cells of the edges that the job names; `null` when it names none. */
  readonly namedCells: ReadonlySet<CellId> | null;
  /** Those of `dependsOn` that exist. */
  readonly parents: readonly JobWithStatus[];
  /** Edges that run virtual machines; absent when the job is none. */
  readonly machines?: readonly EdgeAsked[];
  /** Services with the name of one that is to be the only one; absent when nobody asks. */
  readonly named?: { readonly jobs: readonly JobWithStatus[]; readonly last: JobId | null };
};

/**
 * Stored whole, or not at all: only while the id is free, every parent still open and nobody else
 * has become the only one of its name.
 */
export type JobCreation = {
  readonly kind: 'create';
  readonly job: StoredJob;
  readonly status: JobStatus;
  /** Each chunk is in exactly one of these. */
  readonly intents: ReadonlyMap<CellId, { readonly intent: Intent; readonly ranges: RangeSet }>;
  /** Jobs it waits for, which must not have ended when it is stored. */
  readonly openParents: readonly JobId[];
  /** What its timeline says from the beginning, besides that it was submitted. */
  readonly events?: readonly JobEvent[];
  /** It is to be the only service of its name, and was decided when this was the last such one. */
  readonly onlyOne?: { readonly after: JobId | null };
};

export function submit(
  submission: Submission,
  around: Surroundings,
  nowMs: number,
  hash: (text: string) => string,
): JobCreation | Refusal {
  const { id, body, caller, part } = submission;
  const parents = openParentsOf(body, caller, around.parents);
  if (parents.kind === 'refused') return parents;
  const taken = around.named?.jobs.find(({ status }) => !isFinal(status.state));
  if (taken !== undefined) return refuse(new ProblemError('name-taken', takenBy(taken)));
  const { spec, chunking } = fillJob(body, around);
  const bytes = bytesOf(spec);
  if (bytes > specBytesMax) {
    const detail = `A job spec has at most ${specBytesMax} bytes; this one has ${bytes}.`;
    return refuse(invalid('', detail));
  }
  const slices = divideJob(spec, chunking, around);
  const createdBy = nameOfCaller(caller);
  const job: StoredJob = {
    id,
    spec,
    chunking,
    specHash: specHashOf({ id, spec, chunking, createdBy }, hash),
    cells: [...slices.keys()],
    generation: 1,
    createdAtMs: nowMs,
    createdBy,
    version: 1,
    retryEpoch: 0,
    cancelledAtMs: null,
    ...(part === undefined ? {} : { submission: part }),
  };
  const keys = submission.keepsAnswer === true ? 1 : 0;
  const rows = rowsAtSubmit + keys + job.cells.length + 2 * parents.open.length;
  const spent = { rows, documents: 0, reports: 0, calls: callsAtSubmit };
  const status = { ...statusOf(job, parents.open), spent };
  const intent = intentOf(job, status.blockedByDependencies, status.foldedByCell);
  const unsupported = unsupportedRun(intent.spec, around.machines ?? []);
  if (unsupported !== null) return refuse(unsupported);
  const intents = new Map([...slices].map(([cell, ranges]) => [cell, { intent, ranges }]));
  return {
    kind: 'create',
    job,
    status,
    intents,
    openParents: parents.open,
    ...(around.named !== undefined && { onlyOne: { after: around.named.last } }),
  };
}

function takenBy({ job: { id, spec } }: JobWithStatus): string {
  return `The service ${id} of pool ${spec.pool} is called ${spec.name}.`;
}

/** Its spec, its status and the line of the audit trail. */
const rowsAtSubmit = 3;
/** The function that takes it in, and the one that knows its caller. */
const callsAtSubmit = 2;

function statusOf(job: StoredJob, openParents: readonly JobId[]): JobStatus {
  const { name, pool, queue, labels, retries } = job.spec;
  return newJobStatus({
    job: job.id,
    name,
    pool,
    queue,
    labels,
    chunking: job.chunking,
    cells: job.cells,
    dependsOn: openParents,
    createdAtMs: job.createdAtMs,
    maxFailedChunks: retries.maxFailedChunks,
    ...(job.spec.onEnd !== undefined && { notifies: true as const }),
    ...(job.spec.restart !== undefined && {
      service: newServiceCounts(job.spec, job.chunking.chunks),
    }),
  });
}

/** Which cell of the pool gets which chunks. */
function divideJob(
  spec: JobSpec,
  chunking: Chunking,
  around: Pick<Surroundings, 'metas' | 'namedCells'>,
): ReadonlyMap<CellId, RangeSet> {
  const { metas, namedCells } = around;
  const asked = namedCells === null ? { chunking, spec } : { chunking, spec, namedCells };
  return new Map(chooseCells(metas, asked).map((slice) => [slice.cell, slice.ranges]));
}

/** The jobs of `dependsOn` that have not ended; one that ended badly can never be waited for. */
function openParentsOf(
  body: Pick<JobBody, 'dependsOn'>,
  caller: Caller,
  parents: readonly JobWithStatus[],
): { readonly kind: 'open'; readonly open: readonly JobId[] } | Refusal {
  const byId = new Map<string, JobWithStatus>(parents.map((parent) => [parent.job.id, parent]));
  const open: JobId[] = [];
  for (const [at, name] of body.dependsOn.entries()) {
    const parent = byId.get(name);
    if (parent === undefined || !seesJob(caller, parent.job)) {
      return refuse(invalid(`/dependsOn/${at}`, `There is no job "${name}" to wait for.`));
    }
    const { state } = parent.status;
    if (!isFinal(state)) open.push(parent.job.id);
    else if (state !== 'done') {
      const detail = `Job "${name}" ended ${state}, so a job that waits for it could never start.`;
      return refuse(new ProblemError('unsatisfiable', detail));
    }
  }
  return { kind: 'open', open };
}

/** Of all that an edge goes by, the parameters of the chunks included. */
export function specHashOf(
  { id, spec, chunking, createdBy }: Pick<StoredJob, 'id' | 'spec' | 'chunking' | 'createdBy'>,
  hash: (text: string) => string,
): string {
  const text = JSON.stringify(agentSpec(id, '', spec, chunking, createdBy));
  return hash(spec.params === undefined ? text : text + JSON.stringify(spec.params));
}

/** As it is stored and sent: UTF-8. */
export function bytesOf(spec: JobSpec): number {
  return new TextEncoder().encode(JSON.stringify(spec)).length;
}
