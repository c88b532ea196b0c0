import { notFound } from '../../../core/contract/problem.ts';
import { changeAttemptsMax } from '../../../core/model/limits.ts';
import { audit } from '../http/audit.ts';
import { checkQuery, paramOf } from '../http/call.ts';
import { contended } from '../http/outage.ts';
import { checkVersion, readPrecondition } from '../http/precondition.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { checkQueueRights } from './put-queue.ts';
import { defaultQueue } from './stored-queue.ts';

/**
 * `DELETE /v1/queues/{name}`: a queue is its settings, so jobs in it go on as in one that nobody
 * has set. `default` is always there: it gets its defaults back.
 */
export const removeQueue = defineOperation({
  name: 'removeQueue',
  read: (call) => {
    checkQuery(call, []);
    return { name: paramOf(call, 'name', 'such queue'), precondition: readPrecondition(call) };
  },
  run: async ({ name, precondition }, context, deps: Pick<Ports, 'queues' | 'audit'>) => {
    checkQueueRights(context.caller, name);
    for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
      const stored = await deps.queues.find(name);
      if (stored === null && name !== defaultQueue.name) throw notFound(`queue "${name}"`);
      checkVersion(precondition, (stored ?? defaultQueue).version);
      if (stored === null) return;
      if (!(await deps.queues.remove(name, stored.version))) continue;
      await audit(context, deps, 'queue-removed', name);
      return;
    }
    throw contended();
  },
  answer: () => ({ status: 204 }),
});
