import { notFound, ProblemError } from '../../../core/contract/problem.ts';
import type { EdgeCaller } from '../../../core/model/caller.ts';
import { attemptsMax, outputTailBytesMax } from '../../../core/model/limits.ts';
import { type JobId, poolOfCell } from '../../../core/model/names.ts';
import { has, union } from '../../../core/model/ranges.ts';
import { type Answer, badQuery, type Call, callerOf, checkQuery, jobOfPath } from '../http/call.ts';
import { chunkOf } from '../jobs/view/chunk-number.ts';
import type { Ports } from '../ports.ts';

/**
 * `PUT /v1/jobs/{id}/chunks/{chunk}/output`: the tail of what a chunk printed, from the edge that
 * was given the chunk. An edge that never had it is refused, so that none can write into another's
 * job.
 */
export const putOutput = { handle };

async function handle(
  call: Call,
  deps: Pick<Ports, 'edges' | 'jobs' | 'outputs'>,
): Promise<Answer> {
  checkQuery(call, ['attempt']);
  const id = jobOfPath(call);
  const caller = callerOf(call) as EdgeCaller;
  const attempt = readAttempt(call);
  checkOutput(call);
  const job = await deps.jobs.findSpec(id);
  if (job === null || poolOfCell(caller.cell) !== job.spec.pool) {
    throw notFound(`job "${id}"`);
  }
  const chunk = chunkOf(call.params.chunk ?? '', job.chunking.chunks);
  if (!(await wasGiven(deps, caller, id, chunk))) {
    throw new ProblemError('forbidden', 'This edge was not given this chunk.');
  }
  const key = await deps.outputs.put(id, chunk, attempt, call.body);
  await deps.jobs.keepOutput(id, chunk, key, call.body.length);
  return { status: 204 };
}

function readAttempt(call: Call): number {
  const text = call.query.attempt ?? '1';
  const attempt = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (attempt < 1 || attempt > attemptsMax * 10) {
    throw badQuery('attempt', 'This must be a whole number of at least 1.');
  }
  return attempt;
}

function checkOutput(call: Call): void {
  if (call.body.length > outputTailBytesMax) {
    const detail = `A kept output has at most ${outputTailBytesMax} bytes; send its tail.`;
    throw new ProblemError('body-too-large', detail);
  }
  const type = call.headers['content-type'] ?? 'text/plain';
  if (!/^(text\/plain|application\/octet-stream)\b/i.test(type)) {
    throw new ProblemError('unsupported-media-type', 'Send the output as text/plain.');
  }
}

async function wasGiven(
  deps: Pick<Ports, 'edges' | 'jobs'>,
  caller: EdgeCaller,
  job: JobId,
  chunk: number,
): Promise<boolean> {
  const name = caller.edge;
  const [execution] = await deps.jobs.executionsOn(name, [job]);
  if (execution !== undefined && has(execution.chunks, chunk)) return true;
  const edge = await deps.edges.load(caller.cell, name);
  const lease = edge?.work?.leases.get(job);
  return lease !== undefined && has(union(lease.ranges, lease.heldBefore), chunk);
}
