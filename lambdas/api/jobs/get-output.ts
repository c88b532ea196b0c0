import { notFound } from '../../../core/contract/problem.ts';
import { checkQuery, jobOfPath } from '../http/call.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { chunkOf } from './view/chunk-number.ts';
import { visibleJob } from './view/visible-job.ts';

/** `GET /v1/jobs/{id}/chunks/{n}/output`: what the chunk printed, its tail, as text. */
export const getOutput = defineOperation({
  name: 'getOutput',
  read: (call) => {
    checkQuery(call, []);
    return { id: jobOfPath(call), chunk: call.params.chunk ?? '' };
  },
  run: async ({ id, ...named }, { caller }, deps: Pick<Ports, 'jobs' | 'outputs'>) => {
    const { job } = await visibleJob(id, caller, deps);
    const chunk = chunkOf(named.chunk, job.chunking.chunks);
    const stored = await deps.jobs.chunk(id, chunk);
    const key = stored?.output?.key;
    const output = key === undefined ? null : await deps.outputs.get(key);
    if (output === null) throw notFound(`kept output of chunk ${chunk} of job "${id}"`);
    return output;
  },
  answer: (output) => {
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    return { status: 200, headers, body: output };
  },
});
