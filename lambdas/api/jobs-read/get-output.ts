import { notFound } from '../../../core/wire/problem.ts';
import { type Answer, type Call, checkQuery } from '../http/call.ts';
import type { Ports } from '../ports.ts';
import { readChunkNumber } from '../views/chunk-number.ts';
import { visibleJob } from '../views/visible-job.ts';

/** `GET /v1/jobs/{id}/chunks/{n}/output`: what the chunk printed, its tail, as text. */
export async function getOutput(
  call: Call,
  deps: Pick<Ports, 'jobs' | 'outputs'>,
): Promise<Answer> {
  checkQuery(call, []);
  const { job } = await visibleJob(call, deps);
  const chunk = readChunkNumber(call, job.cut.chunks);
  const stored = await deps.jobs.chunk(job.id, chunk);
  const key = stored?.output?.key;
  const body = key === undefined ? null : await deps.outputs.get(key);
  if (body === null) throw notFound(`kept output of chunk ${chunk} of job "${job.id}"`);
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}
