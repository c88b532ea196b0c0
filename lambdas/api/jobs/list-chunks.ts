import { type ChunkAnswer, chunkStates } from '../../../core/contract/job-answer.ts';
import { chunksOf, intersect, rangeOf, take } from '../../../core/model/ranges.ts';
import { badQuery, type Call, checkQuery, jobOfPath } from '../http/call.ts';
import { readPaging } from '../http/cursor.ts';
import { pageAnswer } from '../http/page.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { chunkView, loadBoard } from './view/chunk-view.ts';
import { visibleJob } from './view/visible-job.ts';

const list = { name: 'chunks', position: /^\d{1,9}$/ };

/** `GET /v1/jobs/{id}/chunks?state=`: chunks by number, derived page by page. */
export const listChunks = defineOperation({
  name: 'listChunks',
  read: (call) => {
    checkQuery(call, ['state', 'limit', 'cursor']);
    return { id: jobOfPath(call), state: readState(call), paging: readPaging(call, list) };
  },
  run: async ({ id, state, paging }, { caller }, deps: Pick<Ports, 'jobs'>) => {
    const found = await visibleJob(id, caller, deps);
    const board = await loadBoard(deps.jobs, found);
    const from = paging.position === null ? 0 : Number(paging.position) + 1;
    const rest = rangeOf(from, found.job.chunking.chunks);
    const wanted = state === null ? rest : intersect(board.sets[state], rest);
    const { taken, rest: later } = take(wanted, paging.limit);
    const numbers = [...chunksOf(taken)];
    const stored = await deps.jobs.chunksOf(id, numbers);
    const items = numbers.map((chunk) => chunkView(id, board, chunk, stored.get(chunk) ?? null));
    const last = later.length === 0 ? undefined : numbers.at(-1);
    return { items, nextCursor: last === undefined ? null : paging.cursorOf(String(last)) };
  },
  answer: pageAnswer,
});

function readState(call: Call): ChunkAnswer['state'] | null {
  const { state } = call.query;
  if (state === undefined) return null;
  const known = chunkStates.find((name) => name === state);
  if (known === undefined)
    throw badQuery('state', `This must be one of ${chunkStates.join(', ')}.`);
  return known;
}
