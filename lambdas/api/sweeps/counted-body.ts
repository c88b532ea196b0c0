import type { JobBody } from '../../../core/contract/job-body.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import { knownOf, sweepIssues, sweepOf } from '../../../core/contract/sweeps/params-body.ts';
import { countOfOffsets } from '../../../core/federation/chunk-offsets.ts';
import type { Files } from '../../../core/ports/files.ts';
import { indexForJob } from './stored-marks.ts';

/**
 * The body of a job with the number of chunks that its parameters make. Whatever of it does not fit
 * a file is only known when the file was read.
 */
export async function countedBody(
  body: JobBody,
  files: Files,
  nowMs: number,
  notes: 'kept' | 'not kept' = 'kept',
): Promise<JobBody> {
  if (body.params === undefined) return body;
  const sweep = sweepOf(body.params);
  if (!('file' in sweep)) return { ...body, chunks: knownOf(sweep).chunks };
  const { format, file: digest } = sweep;
  const index = await indexForJob(files, { pool: body.pool, digest, format }, nowMs, notes);
  const known = { chunks: index.chunks, names: new Set(index.names) };
  const chunks = body.chunks ?? countOfOffsets(body.chunkOffsets);
  const errors = sweepIssues({ ...body, chunks }, known);
  const [first] = errors;
  if (first === undefined) return { ...body, chunks: known.chunks };
  const detail = `The request is not valid at ${first.pointer}: ${first.message}`;
  throw new ProblemError('invalid-request', detail, { errors: [...errors] });
}
