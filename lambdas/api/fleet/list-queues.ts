import { seesQueue } from '../../../core/model/caller.ts';
import { checkQuery } from '../http/call.ts';
import { readPaging } from '../http/cursor.ts';
import { pageAnswer } from '../http/page.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { defaultQueue, queueView } from './stored-queue.ts';

const list = { name: 'queues', position: /^[a-z0-9-]{1,64}$/ };

/** `GET /v1/queues`: how queues share the fleet. */
export const listQueues = defineOperation({
  name: 'listQueues',
  read: (call) => {
    checkQuery(call, ['limit', 'cursor']);
    return readPaging(call, list);
  },
  run: async ({ position, limit, cursorOf }, { caller }, deps: Pick<Ports, 'queues'>) => {
    const stored = await deps.queues.list();
    const known = stored.some((it) => it.name === 'default') ? stored : [...stored, defaultQueue];
    const queues = known
      .filter((it) => it.name > (position ?? '') && seesQueue(caller, it.name))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const items = queues.slice(0, limit).map(queueView);
    const last = items.at(-1);
    const more = queues.length > limit && last !== undefined;
    return { items, nextCursor: more ? cursorOf(last.name) : null };
  },
  answer: pageAnswer,
});
