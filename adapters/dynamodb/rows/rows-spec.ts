import type { Chunking, JobSpec } from '../../../core/model/job.ts';
import { cellIdOf } from '../../../core/model/names.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import { jobOfRow, specKey } from '../keys.ts';
import type { Row } from '../table.ts';
import { amount, amountOrNull, json, text } from './row-values.ts';

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
  };
}

export function decodeSpec(row: Row): StoredJob {
  const spec = json<JobSpec | null>(row.spec, null);
  if (spec === null) throw new Error(`${row.pk} ${row.sk} holds no spec`);
  return {
    id: jobOfRow(row),
    spec,
    chunking: json<Chunking>(row.cut, { chunks: 0, chunkPower: 0, lastChunkPower: 0 }),
    specHash: text(row.specHash),
    cells: text(row.cells).split(' ').filter(Boolean).map(cellIdOf),
    generation: amount(row.generation, 1),
    createdAtMs: amount(row.createdAtMs),
    createdBy: text(row.createdBy),
    version: amount(row.version),
    retryEpoch: amount(row.retryEpoch),
    cancelledAtMs: amountOrNull(row.cancelledAtMs),
  };
}
