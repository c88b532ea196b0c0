import { checkQuery, jobOfPath } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { chunkOf } from './view/chunk-number.ts';
import { chunkView, loadBoard } from './view/chunk-view.ts';
import { visibleJob } from './view/visible-job.ts';

/** `GET /v1/jobs/{id}/chunks/{n}`: one chunk; 404 beyond the range. */
export const getChunk = defineOperation({
  name: 'getChunk',
  read: (call) => {
    checkQuery(call, []);
    return { id: jobOfPath(call), chunk: call.params.chunk ?? '' };
  },
  run: async ({ id, ...named }, { caller }, deps: Pick<Ports, 'jobs'>) => {
    const found = await visibleJob(id, caller, deps);
    const chunk = chunkOf(named.chunk, found.job.chunking.chunks);
    const [board, stored] = await Promise.all([
      loadBoard(deps.jobs, found),
      deps.jobs.chunk(id, chunk),
    ]);
    return { version: found.job.version, view: chunkView(id, board, chunk, stored) };
  },
  answer: (chunk) => tagged(200, chunk),
});
