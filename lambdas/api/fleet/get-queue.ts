import { notFound } from '../../../core/contract/problem.ts';
import { seesQueue } from '../../../core/model/caller.ts';
import { checkQuery, paramOf } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { findQueue, queueView } from './stored-queue.ts';

/** `GET /v1/queues/{name}`. */
export const getQueue = defineOperation({
  name: 'getQueue',
  read: (call) => {
    checkQuery(call, []);
    return { name: paramOf(call, 'name', 'such queue') };
  },
  run: async ({ name }, { caller }, deps: Pick<Ports, 'queues'>) => {
    const queue = await findQueue(deps, name);
    if (queue === null || !seesQueue(caller, name)) throw notFound(`queue "${name}"`);
    return { version: queue.version, view: queueView(queue) };
  },
  answer: (queue) => tagged(200, queue),
});
