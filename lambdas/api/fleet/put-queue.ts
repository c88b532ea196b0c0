import { queueBodySchema } from '../../../core/contract/fleet-body.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import { type Caller, seesQueue } from '../../../core/model/caller.ts';
import { changeAttemptsMax, queuesMax } from '../../../core/model/limits.ts';
import { audit } from '../http/audit.ts';
import { checkQuery, newNameOf } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { readBody } from '../http/json-body.ts';
import { contended } from '../http/outage.ts';
import { checkAbsent, checkPresent, readPrecondition } from '../http/precondition.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { defaultQueue, queueView } from './stored-queue.ts';

/**
 * `PUT /v1/queues/{name}`: creates a queue, or changes its settings. A queue goes through all
 * pools, so who is limited to a pool changes none.
 */
export const putQueue = defineOperation({
  name: 'putQueue',
  read: (call) => {
    checkQuery(call, []);
    const name = newNameOf(call, 'name');
    const body = readBody(call, queueBodySchema);
    return { name, body, precondition: readPrecondition(call) };
  },
  run: async (asked, context, deps: Pick<Ports, 'queues' | 'audit'>) => {
    const { name, body, precondition } = asked;
    checkQueueRights(context.caller, name);
    for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
      const stored = await deps.queues.find(name);
      const before = stored ?? (name === 'default' ? defaultQueue : null);
      if (before !== null) checkPresent(precondition, before.version);
      else {
        checkAbsent(precondition);
        await checkRoom(deps);
      }
      const queue = { name, ...body, version: (before?.version ?? 0) + 1 };
      if (!(await deps.queues.put(queue, stored === null ? null : stored.version))) continue;
      await audit(context, deps, before === null ? 'queue-created' : 'queue-changed', name);
      return { created: before === null, version: queue.version, view: queueView(queue) };
    }
    throw contended();
  },
  answer: ({ created, ...queue }) => tagged(created ? 201 : 200, queue),
});

/** A queue goes through all pools. */
export function checkQueueRights(caller: Caller, name: string): void {
  if (!seesQueue(caller, name)) throw new ProblemError('forbidden');
  if (caller.kind !== 'edge' && caller.pool !== null) {
    throw new ProblemError('forbidden', 'Queues are of all pools; this token is limited to one.');
  }
}

async function checkRoom(deps: Pick<Ports, 'queues'>): Promise<void> {
  if ((await deps.queues.list()).length >= queuesMax) {
    throw new ProblemError('limit-reached', `There are ${queuesMax} queues, which is the most.`);
  }
}
