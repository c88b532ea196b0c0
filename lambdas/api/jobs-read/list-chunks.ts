import { chunksOf, intersect, rangeOf, take } from '../../../core/ranges.ts';
import { type ChunkAnswer, chunkStates } from '../../../core/wire/job-answer.ts';
import { type Answer, badQuery, type Call, checkQuery } from '../http/call.ts';
import { encodeCursor, readCursor, readLimit } from '../http/cursor.ts';
import type { Ports } from '../ports.ts';
import { visibleJob } from '../views/visible-job.ts';
import { chunkView, loadBoard } from './chunk-view.ts';

/** `GET /v1/jobs/{id}/chunks?state=`: chunks by number, derived page by page. */
export async function listChunks(call: Call, deps: Pick<Ports, 'jobs'>): Promise<Answer> {
  checkQuery(call, ['state', 'limit', 'cursor']);
  const state = readState(call);
  const limit = readLimit(call);
  const position = readCursor(call, 'chunks', /^\d{1,9}$/);
  const found = await visibleJob(call, deps);
  const board = await loadBoard(deps.jobs, found);
  const from = position === null ? 0 : Number(position) + 1;
  const rest = rangeOf(from, found.job.cut.chunks);
  const wanted = state === null ? rest : intersect(board.sets[state], rest);
  const { taken, rest: later } = take(wanted, limit);
  const numbers = [...chunksOf(taken)];
  const stored = await deps.jobs.chunksOf(found.job.id, numbers);
  const last = numbers.at(-1);
  return {
    status: 200,
    body: {
      items: numbers.map((chunk) =>
        chunkView(found.job.id, board, chunk, stored.get(chunk) ?? null),
      ),
      nextCursor:
        later.length === 0 || last === undefined
          ? null
          : encodeCursor(call, 'chunks', String(last)),
    },
  };
}

function readState(call: Call): ChunkAnswer['state'] | null {
  const { state } = call.query;
  if (state === undefined) return null;
  const known = chunkStates.find((name) => name === state);
  if (known === undefined)
    throw badQuery('state', `This must be one of ${chunkStates.join(', ')}.`);
  return known;
}
