import { notFound } from '../../../core/contract/problem.ts';
import { resultSpaceOf } from '../../../core/files/result-space.ts';
import { badQuery, checkQuery, jobOfPath } from '../http/call.ts';
import { chunkOf, numbersMaxOf } from '../jobs/view/chunk-number.ts';
import { visibleJob } from '../jobs/view/visible-job.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { filesOfChunk } from './chunk-files.ts';

/** `GET /v1/jobs/{id}/files/{path}?chunk=n`: the address where a file that a chunk left is read. */
export const getResult = defineOperation({
  name: 'getResult',
  read: (call) => {
    checkQuery(call, ['chunk']);
    return { id: jobOfPath(call), path: call.params.path ?? '', chunk: call.query.chunk };
  },
  run: async ({ id, path, ...named }, context, deps: Pick<Ports, 'jobs' | 'results'>) => {
    const { job } = await visibleJob(id, context.caller, deps);
    const numbers = numbersMaxOf(job);
    if (named.chunk === undefined && numbers > 1) throw badQuery('chunk', 'Say of which chunk.');
    const chunk = chunkOf(named.chunk ?? '0', numbers);
    const result = (await deps.jobs.chunk(id, chunk))?.result;
    const space = resultSpaceOf(job);
    const files =
      result === undefined ? [] : await filesOfChunk({ chunk, result }, space, deps.results);
    const sha256 = files.find((file) => file.path === path)?.sha256;
    if (sha256 === undefined) throw notFound(`such file of chunk ${chunk} of job "${id}"`);
    return deps.results.downloadAddress(space, sha256, context.nowMs).url;
  },
  answer: (location) => ({ status: 302, headers: { location } }),
});
