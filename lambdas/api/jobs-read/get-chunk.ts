import { type Answer, type Call, checkQuery } from '../http/call.ts';
import { etagOf } from '../http/etag.ts';
import type { Ports } from '../ports.ts';
import { readChunkNumber } from '../views/chunk-number.ts';
import { visibleJob } from '../views/visible-job.ts';
import { chunkView, loadBoard } from './chunk-view.ts';

/** `GET /v1/jobs/{id}/chunks/{n}`: one chunk; 404 beyond the range. */
export async function getChunk(call: Call, deps: Pick<Ports, 'jobs'>): Promise<Answer> {
  checkQuery(call, []);
  const found = await visibleJob(call, deps);
  const chunk = readChunkNumber(call, found.job.cut.chunks);
  const [board, stored] = await Promise.all([
    loadBoard(deps.jobs, found),
    deps.jobs.chunk(found.job.id, chunk),
  ]);
  const body = chunkView(found.job.id, board, chunk, stored);
  return { status: 200, headers: { etag: etagOf(found.job.version, body) }, body };
}
