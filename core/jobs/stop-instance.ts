import { notFound, ProblemError } from '../contract/problem.ts';
import { isFinal } from '../model/job.ts';
import { emptyRanges, has, unionAll } from '../model/ranges.ts';
import type { JobWithStatus } from '../model/stored-job.ts';
import { numbersOf, withoutNumber } from '../services/instance-numbers.ts';
import { type Refusal, refuse, type Unchanged } from './decision.ts';
import type { JobEdit } from './edit.ts';
import { type JobCells, openCellsOf } from './job-cells.ts';
import { restartService, type ServiceRestart, type UpdateAround } from './update-service.ts';

/** One instance is not to run where it runs: it starts again, elsewhere if there is room. */
export function stopInstance(
  found: JobWithStatus,
  chunk: number,
  around: UpdateAround,
): ServiceRestart | Refusal | Unchanged {
  return refusalOf(found, chunk, around.cells) ?? movedInstance(found, chunk, around);
}

function movedInstance(
  found: JobWithStatus,
  chunk: number,
  around: UpdateAround,
): ServiceRestart | Refusal | Unchanged {
  const change = restartService(found, String(chunk), around, { elsewhere: true });
  if (change.kind !== 'restart') return change;
  return { ...change, detail: `Instance ${chunk} is stopped and starts again.` };
}

/** One instance fewer, and it is this one: the others keep their numbers. */
export function removeInstance(
  found: JobWithStatus,
  chunk: number,
  cells: JobCells,
): JobEdit | Refusal {
  const refused = refusalOf(found, chunk, cells);
  if (refused !== null) return refused;
  const { id, version: seenVersion, spec, chunking: before } = found.job;
  if (spec.everywhere !== undefined) {
    const detail = 'It has an instance on each edge that matches; change what it requires.';
    return refuse(new ProblemError('conflict', detail));
  }
  const chunking = withoutNumber(before, chunk);
  return {
    kind: 'edit',
    id,
    seenVersion,
    spec: { ...spec, chunks: chunking.chunks },
    chunking,
    cells: openCellsOf(cells),
    ofOpenJob: true,
    fields: ['chunks'],
    detail: `Instance ${chunk} is not wanted any more.`,
  };
}

function refusalOf({ job, status }: JobWithStatus, chunk: number, cells: JobCells): Refusal | null {
  const { spec, chunking } = job;
  if (spec.restart === undefined) {
    return refuse(new ProblemError('conflict', 'Only an instance of a service can be stopped.'));
  }
  if (isFinal(status.state) || job.cancelledAtMs !== null) {
    return refuse(new ProblemError('conflict', 'The service has ended, or is about to.'));
  }
  const counted = [...cells.values()].map((cell) => cell.status?.ranges ?? emptyRanges);
  const numbers = spec.everywhere === undefined ? numbersOf(chunking) : unionAll(counted);
  return has(numbers, chunk) ? null : refuse(notFound(`instance ${chunk}`));
}
