import { notFound } from '../../../core/contract/problem.ts';
import { has } from '../../../core/model/ranges.ts';
import { checkQuery, jobOfPath } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { parametersOf } from '../sweeps/chunk-parameters.ts';
import { chunkOf, numbersMaxOf } from './view/chunk-number.ts';
import { chunkView, loadBoard } from './view/chunk-view.ts';
import { portsOfInstances } from './view/instance-ports.ts';
import { visibleJob } from './view/visible-job.ts';

/** `GET /v1/jobs/{id}/chunks/{n}`: one chunk; 404 beyond the range. */
export const getChunk = defineOperation({
  name: 'getChunk',
  read: (call) => {
    checkQuery(call, []);
    return { id: jobOfPath(call), chunk: call.params.chunk ?? '' };
  },
  run: async ({ id, ...named }, { caller }, deps: Pick<Ports, 'jobs' | 'files' | 'edges'>) => {
    const found = await visibleJob(id, caller, deps);
    const chunk = chunkOf(named.chunk, numbersMaxOf(found.job));
    const [board, stored, parameters] = await Promise.all([
      loadBoard(deps.jobs, found),
      deps.jobs.chunk(id, chunk),
      parametersOf(found.job, [chunk], deps.files),
    ]);
    if (!has(board.all, chunk)) throw notFound(`chunk ${chunk}`);
    const ports = await portsOfInstances(found.job, board, [chunk], deps);
    const view = chunkView(id, board, chunk, stored, {
      parameters: parameters.found.get(chunk),
      ports: ports.get(chunk),
    });
    return { version: found.job.version, view };
  },
  answer: (chunk) => tagged(200, chunk),
});
