import { invalid, notFound, ProblemError } from '../contract/problem.ts';
import type { Intent } from '../model/cell.ts';
import { type Chunking, isFinal, type JobSpec } from '../model/job.ts';
import { specBytesMax } from '../model/limits.ts';
import type { CellId, JobId } from '../model/names.ts';
import { formatRanges, isEmpty, parseRanges, type RangeSet, subtract } from '../model/ranges.ts';
import { intentOf, type JobWithStatus, type StoredJob } from '../model/stored-job.ts';
import {
  generationSpecOf,
  generationsWith,
  type StoredGeneration,
  wishOf,
} from '../services/generation.ts';
import { numbersOf, scaledTo } from '../services/instance-numbers.ts';
import { generationsKept } from '../services/limits.ts';
import { type OneRestart, restartAfter } from '../services/restart-wish.ts';
import type { RolloutWish } from '../services/rollout-wish.ts';
import { type Refusal, refuse, type Unchanged, unchanged } from './decision.ts';
import { type JobCells, openCellsOf } from './job-cells.ts';
import { bytesOf, specHashOf } from './submit.ts';

/** Another generation of a service: its cells bring the instances to it, one after the other. */
export type ServiceUpdate = {
  readonly kind: 'update';
  readonly id: JobId;
  /** Of the stored job; the change raises it by one. */
  readonly seenVersion: number;
  readonly generation: number;
  readonly spec: JobSpec;
  readonly specHash: string;
  readonly chunking: Chunking;
  /** What its cells know of it then. */
  readonly intent: Pick<Intent, 'spec' | 'specHash' | 'chunking'> & {
    readonly rollout: RolloutWish;
  };
  /** To be kept from now on; and the one that is kept no more. */
  readonly kept: readonly StoredGeneration[];
  readonly dropped: number | null;
  readonly cells: readonly CellId[];
  readonly detail: string;
};

/** Instances start anew, as what they are. */
export type ServiceRestart = {
  readonly kind: 'restart';
  readonly id: JobId;
  readonly seenVersion: number;
  readonly restarts: number;
  readonly rollout: RolloutWish;
  readonly cells: readonly CellId[];
  readonly detail: string;
};

/** Who decides, and what is stored of the service besides. */
export type UpdateAround = {
  readonly cells: JobCells;
  readonly kept: readonly StoredGeneration[];
  readonly by: string;
  readonly nowMs: number;
  readonly hash: (text: string) => string;
};

export function updateService(
  found: JobWithStatus,
  spec: JobSpec,
  around: UpdateAround,
): ServiceUpdate | Refusal {
  const { job } = found;
  const closed = refusalOf(found);
  if (closed !== null) return closed;
  const bytes = bytesOf(spec);
  if (bytes > specBytesMax) {
    const detail = `A job spec has at most ${specBytesMax} bytes; this one has ${bytes}.`;
    return refuse(invalid('', detail));
  }
  const { id, version: seenVersion } = job;
  const generation = job.generation + 1;
  const chunking = scaledTo(job.chunking, spec.chunks);
  const specHash = specHashOf({ id, spec, chunking, createdBy: job.createdBy }, around.hash);
  const next: StoredJob = { ...job, spec, chunking, specHash, generation };
  const known = generationsWith(job, around.kept);
  const cells = openCellsOf(around.cells);
  const rollout = inTurns(wishOf(generation, known, lastRestart(job)), cells);
  const { nowMs: createdAtMs, by: createdBy } = around;
  const made = { generation, spec: generationSpecOf(spec), specHash, createdAtMs, createdBy };
  const isFirst = around.kept.length === 0;
  return {
    kind: 'update',
    id,
    seenVersion,
    generation,
    spec,
    specHash,
    chunking,
    intent: { ...intentOf(next, false), rollout },
    kept: isFirst ? [...known, made] : [made],
    dropped: generation > generationsKept ? generation - generationsKept : null,
    cells,
    detail: `Generation ${generation} is wanted.`,
  };
}

/** What it ran before is wanted again, as a generation of its own. */
export function rollbackService(
  found: JobWithStatus,
  wanted: number | undefined,
  around: UpdateAround,
): ServiceUpdate | Refusal {
  const { job } = found;
  const closed = refusalOf(found);
  if (closed !== null) return closed;
  const known = generationsWith(job, around.kept);
  const before = known.map((it) => it.generation).filter((it) => it < job.generation);
  if (wanted === undefined && before.length === 0) {
    return refuse(new ProblemError('conflict', 'The service has no generation before this one.'));
  }
  const generation = wanted ?? Math.max(...before);
  const target = known.find((it) => it.generation === generation);
  if (target === undefined) return refuse(notFound(`generation ${generation} of "${job.id}"`));
  const { inputs: _inputs, ports: _ports, signature: _signature, ...spec } = job.spec;
  const update = updateService(found, { ...spec, ...target.spec }, around);
  if (update.kind === 'refused') return update;
  const detail = `Generation ${generation} is wanted again, as ${update.generation}.`;
  return { ...update, detail };
}

export function restartService(
  found: JobWithStatus,
  chunks: string | undefined,
  around: UpdateAround,
  how: Pick<OneRestart, 'elsewhere'> = {},
): ServiceRestart | Refusal | Unchanged {
  const { job, status } = found;
  const closed = refusalOf(found);
  if (closed !== null) return closed;
  if (status.service?.rollout?.state === 'paused') {
    const detail = 'Its rollout is paused: update it or roll it back first.';
    return refuse(new ProblemError('conflict', detail));
  }
  const restarts = (job.restarts ?? 0) + 1;
  const named = chunks === undefined ? null : parseRanges(chunks);
  if (job.chunking.chunks === 0 && job.spec.everywhere === undefined) return unchanged;
  if (named !== null && !hasInstances(job, named)) {
    const numbers = formatRanges(numbersOf(job.chunking));
    return refuse(invalid('/chunks', `The service has instances ${numbers}.`));
  }
  const { id, version: seenVersion, generation } = job;
  const known = generationsWith(job, around.kept);
  const restart = restartAfter(job.lastRestart, { epoch: restarts, chunks: named, ...how });
  const which = chunks === undefined ? 'All instances' : `Instances ${chunks}`;
  const detail = `${which} start anew, one after the other.`;
  const cells = openCellsOf(around.cells);
  const rollout = inTurns(wishOf(generation, known, restart), cells);
  return { kind: 'restart', id, seenVersion, restarts, rollout, cells, detail };
}

/** Of a service that has one cell nobody else has instances away. */
function inTurns(wish: RolloutWish, cells: readonly CellId[]): RolloutWish {
  return cells.length > 1 ? { ...wish, byTurns: true } : wish;
}

/** Of one that runs everywhere a number is an edge's, and there may be more by now. */
function hasInstances({ spec, chunking }: StoredJob, chunks: RangeSet): boolean {
  return spec.everywhere !== undefined || isEmpty(subtract(chunks, numbersOf(chunking)));
}

/** A cell that has seen it does nothing of it again. */
function lastRestart({ restarts }: StoredJob): RolloutWish['restart'] {
  return restarts === undefined ? null : { epoch: restarts, chunks: null };
}

function refusalOf({ job, status }: JobWithStatus): Refusal | null {
  if (job.spec.restart === undefined) {
    return refuse(new ProblemError('conflict', 'Only a service has generations.'));
  }
  if (!isFinal(status.state) && job.cancelledAtMs === null) return null;
  return refuse(new ProblemError('conflict', 'The service has ended, or is about to.'));
}
