import { type ChunkAnswer, chunkStates } from '../../../core/contract/job-answer.ts';
import { chunksOf, first, intersect, rangeOf, subtract, take } from '../../../core/model/ranges.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import { sweepChunksAskedMax, sweepChunksExaminedMax } from '../../../core/sweeps/limits.ts';
import type { Parameters } from '../../../core/sweeps/parameters.ts';
import { badQuery, type Call, checkQuery, jobOfPath } from '../http/call.ts';
import { readPaging } from '../http/cursor.ts';
import { pageAnswer } from '../http/page.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { parametersOf } from '../sweeps/chunk-parameters.ts';
import { chunkView, loadBoard } from './view/chunk-view.ts';
import { portsOfInstances } from './view/instance-ports.ts';
import { visibleJob } from './view/visible-job.ts';

const list = { name: 'chunks', position: /^\d{1,9}$/ };

/**
 * `GET /v1/jobs/{id}/chunks?state=&param.NAME=`: chunks by number, derived page by page. A
 * page that is filtered by parameters looks at a bounded number of chunks, and may be short.
 */
export const listChunks = defineOperation({
  name: 'listChunks',
  read: (call) => {
    const params = readParams(call);
    const names = [...params.keys()].map((name) => `${paramPrefix}${name}`);
    checkQuery(call, ['state', 'limit', 'cursor', ...names]);
    return { id: jobOfPath(call), state: readState(call), params, paging: readPaging(call, list) };
  },
  run: async (
    { id, state, params, paging },
    { caller },
    deps: Pick<Ports, 'jobs' | 'files' | 'edges'>,
  ) => {
    const found = await visibleJob(id, caller, deps);
    const board = await loadBoard(deps.jobs, found);
    const from = paging.position === null ? 0 : Number(paging.position) + 1;
    const rest = subtract(board.all, rangeOf(0, from));
    const wanted = state === null ? rest : intersect(board.sets[state], rest);
    const page = await pageOfChunks(found.job, wanted, { params, limit: paging.limit }, deps.files);
    const numbers = [...page.chunks.keys()];
    const [stored, ports] = await Promise.all([
      deps.jobs.chunksOf(id, numbers),
      portsOfInstances(found.job, board, numbers, deps),
    ]);
    const items = [...page.chunks].map(([chunk, parameters]) =>
      chunkView(id, board, chunk, stored.get(chunk) ?? null, {
        parameters,
        ports: ports.get(chunk),
      }),
    );
    const { next } = page;
    return { items, nextCursor: next === null ? null : paging.cursorOf(String(next - 1)) };
  },
  answer: pageAnswer,
});

type ChunkPage = {
  readonly chunks: ReadonlyMap<number, Parameters | undefined>;
  /** Where the next page begins. */
  readonly next: number | null;
};

async function pageOfChunks(
  job: StoredJob,
  wanted: ReturnType<typeof rangeOf>,
  { params, limit }: { readonly params: ReadonlyMap<string, string>; readonly limit: number },
  files: Ports['files'],
): Promise<ChunkPage> {
  const chunks = new Map<number, Parameters | undefined>();
  const step = params.size === 0 ? limit : sweepChunksAskedMax;
  let open = wanted;
  for (let examined = 0; examined < sweepChunksExaminedMax && open.length > 0; ) {
    const { taken, rest } = take(open, step);
    const numbers = [...chunksOf(taken)];
    const { found, next } = await parametersOf(job, numbers, files);
    for (const chunk of numbers) {
      if (next !== null && chunk >= next) break;
      const parameters = found.get(chunk);
      if (!hasAll(parameters, params)) continue;
      if (chunks.size === limit) return { chunks, next: chunk };
      chunks.set(chunk, parameters);
    }
    if (next !== null) return { chunks, next };
    examined += numbers.length;
    open = rest;
    if (params.size === 0) break;
  }
  return { chunks, next: first(open) ?? null };
}

function hasAll(parameters: Parameters | undefined, wanted: ReadonlyMap<string, string>): boolean {
  return [...wanted].every(([name, text]) => {
    const value = parameters?.get(name);
    return value !== undefined && String(value) === text;
  });
}

const paramPrefix = 'param.';

function readParams({ query }: Call): ReadonlyMap<string, string> {
  const given = Object.entries(query).filter(([name]) => name.startsWith(paramPrefix));
  return new Map(given.map(([name, value]) => [name.slice(paramPrefix.length), value ?? '']));
}

function readState(call: Call): ChunkAnswer['state'] | null {
  const { state } = call.query;
  if (state === undefined) return null;
  const known = chunkStates.find((name) => name === state);
  if (known === undefined)
    throw badQuery('state', `This must be one of ${chunkStates.join(', ')}.`);
  return known;
}
