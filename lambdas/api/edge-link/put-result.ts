import { resultBodySchema } from '../../../core/contract/files/result-body.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import { manifestBytesMax } from '../../../core/files/limits.ts';
import { parseManifest } from '../../../core/files/manifest.ts';
import { resultSpaceOf } from '../../../core/files/result-space.ts';
import type { EdgeCaller } from '../../../core/model/caller.ts';
import { type Answer, type Call, callerOf, checkQuery, jobOfPath } from '../http/call.ts';
import { readBody, storedJson } from '../http/json-body.ts';
import { chunkOf, numbersMaxOf } from '../jobs/view/chunk-number.ts';
import type { Ports } from '../ports.ts';
import { checkGiven, jobOfEdge } from './given-chunk.ts';

/**
 * `PUT /v1/jobs/{id}/chunks/{chunk}/files`: which files an attempt left, once they are stored. The
 * list is read here, so that one that makes no sense is refused before the chunk counts as done.
 */
export const putResult = { handle };

async function handle(
  call: Call,
  deps: Pick<Ports, 'edges' | 'jobs' | 'results'>,
): Promise<Answer> {
  checkQuery(call, []);
  const id = jobOfPath(call);
  const caller = callerOf(call) as EdgeCaller;
  const body = readBody(call, resultBodySchema);
  const job = await jobOfEdge(id, caller, deps);
  const chunk = chunkOf(call.params.chunk ?? '', numbersMaxOf(job));
  await checkGiven(id, chunk, caller, deps);
  const bytes = await deps.results.read(resultSpaceOf(job), body.manifest, manifestBytesMax);
  if (bytes === null) throw new ProblemError('input-missing', 'The list of files is not stored.');
  const list = parseManifest(storedJson(bytes));
  if (typeof list === 'string') {
    throw new ProblemError('invalid-request', `This is no list of files: ${list}.`);
  }
  const { manifest, done: isDone } = body;
  const files = list.files.length + list.links.length;
  const sum = list.files.reduce((total, file) => total + file.bytes, 0);
  await deps.jobs.keepResult(id, chunk, { manifest, files, bytes: sum, isDone });
  return { status: 204 };
}
