import type { Chunking, JobSpec, SubmissionPart } from '../../../core/model/job.ts';
import { cellIdOf, jobIdOf } from '../../../core/model/names.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import { jobOfRow, specKey } from '../keys.ts';
import { decodeLastRestart, encodeLastRestart } from '../services/restart-parts.ts';
import type { Row } from '../table.ts';
import { decodeCancelledRanges, encodeCancelledRanges } from './cancelled-ranges.ts';
import { isChunking, isServiceChunking, isSpec } from './job-shapes.ts';
import { json, text, textOrNull, time, timeOrNull, whole } from './row-values.ts';

/** `JOB#<id>/SPEC`: what a user asked for, and who and when. Only the API writes it. */
export function encodeSpec(job: StoredJob): Row {
  return {
    ...specKey(job.id),
    spec: JSON.stringify(job.spec),
    cut: JSON.stringify(job.chunking),
    specHash: job.specHash,
    cells: job.cells.join(' '),
    generation: job.generation,
    createdAtMs: job.createdAtMs,
    createdBy: job.createdBy,
    version: job.version,
    retryEpoch: job.retryEpoch,
    cancelledAtMs: job.cancelledAtMs,
    ...encodeCancelledRanges(job),
    ...encodePart(job.submission),
    ...(job.restarts === undefined ? {} : { restarts: job.restarts }),
    ...(job.lastRestart === undefined ? {} : { lastRestart: encodeLastRestart(job.lastRestart) }),
  };
}

export function decodeSpec(row: Row): StoredJob {
  const spec = json<JobSpec | null>(row.spec, isSpec, null);
  const isCut = spec?.restart === undefined ? isChunking : isServiceChunking;
  const chunking = json<Chunking | null>(row.cut, isCut, null);
  if (spec === null || chunking === null) throw new Error(`${row.pk} ${row.sk} holds no spec`);
  return {
    id: jobOfRow(row),
    spec,
    chunking,
    specHash: text(row.specHash),
    cells: text(row.cells).split(' ').filter(Boolean).map(cellIdOf),
    generation: whole(row.generation, 1),
    createdAtMs: time(row.createdAtMs),
    createdBy: text(row.createdBy),
    version: whole(row.version),
    retryEpoch: whole(row.retryEpoch),
    cancelledAtMs: timeOrNull(row.cancelledAtMs),
    ...decodeCancelledRanges(row),
    ...decodePart(row),
    ...(row.restarts === undefined ? {} : { restarts: whole(row.restarts) }),
    ...decodeLastRestart(row.lastRestart),
  };
}

/** Of which jobspec a job is: two attributes, of what is stored and of what its cell knows. */
export function encodePart(part: SubmissionPart | undefined): Record<string, unknown> {
  return part === undefined ? {} : { jobspec: part.id, jobspecTasks: part.tasks };
}

export function decodePart(row: Row): Pick<StoredJob, 'submission'> {
  const id = textOrNull(row.jobspec);
  return id === null ? {} : { submission: { id: jobIdOf(id), tasks: whole(row.jobspecTasks) } };
}
