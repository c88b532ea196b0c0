import { notFound } from '../../../core/contract/problem.ts';
import type { ChunkParametersAnswer } from '../../../core/contract/sweeps/params-answer.ts';
import { type Caller, seesJob } from '../../../core/model/caller.ts';
import { chunksMax } from '../../../core/model/limits.ts';
import { poolOfCell } from '../../../core/model/names.ts';
import {
  chunksOf,
  first,
  intersect,
  parseRanges,
  type RangeSet,
  rangeOf,
  take,
} from '../../../core/model/ranges.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import { sweepChunksAskedMax } from '../../../core/sweeps/limits.ts';
import { asTable } from '../../../core/sweeps/parameters.ts';
import { badQuery, type Call, checkQuery, jobOfPath } from '../http/call.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { parametersOf } from './chunk-parameters.ts';

/**
 * `GET /v1/jobs/{id}/params?chunks=0-99`: the parameters of these chunks. An edge gets those of
 * chunks that it was given, and no others: what a sweep is about may be nobody else's business.
 */
export const getParams = defineOperation({
  name: 'getParams',
  read: (call) => {
    checkQuery(call, ['chunks']);
    return { id: jobOfPath(call), chunks: readChunks(call) };
  },
  run: async ({ id, chunks }, { caller }, deps: Pick<Ports, 'jobs' | 'files'>) => {
    const job = await deps.jobs.findSpec(id);
    const seen = job === null ? null : await seenBy(caller, job, chunks, deps.jobs);
    if (job === null || seen === null) throw notFound(`job "${id}"`);
    const { taken, rest } = take(seen, sweepChunksAskedMax);
    const { found, next } = await parametersOf(job, [...chunksOf(taken)], deps.files);
    const items = [...found].map(([chunk, parameters]) => {
      return { chunk, params: asTable(parameters) };
    });
    return { items, next: next ?? first(rest) ?? null } satisfies ChunkParametersAnswer;
  },
  answer: (body) => ({ status: 200, body }),
});

function readChunks(call: Call): RangeSet {
  const { chunks } = call.query;
  const parsed = chunks === undefined ? rangeOf(0, chunksMax) : parseRanges(chunks);
  if (parsed === null) throw badQuery('chunks', 'These are numbers of chunks, like 0-41,43.');
  return parsed;
}

/** `null`: the job is none of the caller's business. */
async function seenBy(
  caller: Caller,
  job: StoredJob,
  chunks: RangeSet,
  jobs: Pick<Ports['jobs'], 'executionsOn'>,
): Promise<RangeSet | null> {
  const known = intersect(chunks, rangeOf(0, job.chunking.chunks));
  if (caller.kind !== 'edge') return seesJob(caller, job) ? known : null;
  if (poolOfCell(caller.cell) !== job.spec.pool) return null;
  const [execution] = await jobs.executionsOn(caller.edge, [job.id]);
  return execution === undefined ? null : intersect(known, execution.chunks);
}
