import { type PoolBody, poolBodySchema } from '../../../core/contract/fleet-body.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import { seesPool } from '../../../core/model/caller.ts';
import { changeAttemptsMax, poolsMax } from '../../../core/model/limits.ts';
import { newPool, type StoredPool } from '../../../core/ports/pools.ts';
import { audit } from '../http/audit.ts';
import { checkQuery, newNameOf } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { readBody } from '../http/json-body.ts';
import { contended } from '../http/outage.ts';
import { checkAbsent, checkPresent, readPrecondition } from '../http/precondition.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { poolView } from './pool-view.ts';

/** `PUT /v1/pools/{name}`: creates a pool, or changes its settings. */
export const putPool = defineOperation({
  name: 'putPool',
  read: (call) => {
    checkQuery(call, []);
    const name = newNameOf(call, 'name');
    const body = readBody(call, poolBodySchema);
    return { name, body, precondition: readPrecondition(call) };
  },
  run: async (asked, context, deps: Pick<Ports, 'pools' | 'audit'>) => {
    const { name, body, precondition } = asked;
    if (!seesPool(context.caller, name)) throw new ProblemError('forbidden');
    for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
      const found = await deps.pools.find(name);
      const before = found.pool;
      if (before !== null) checkPresent(precondition, before.version);
      else {
        checkAbsent(precondition);
        await checkRoom(deps);
      }
      const pool = changed(before ?? newPool(name, context.nowMs), body);
      if (!(await deps.pools.put(pool, before === null ? null : before.version))) continue;
      await audit(context, deps, before === null ? 'pool-created' : 'pool-changed', name);
      const view = poolView(name, { ...found, pool });
      return { created: before === null, version: pool.version, view };
    }
    throw contended();
  },
  answer: ({ created, ...pool }) => tagged(created ? 201 : 200, pool),
});

async function checkRoom(deps: Pick<Ports, 'pools'>): Promise<void> {
  const [all, unnamed] = await Promise.all([deps.pools.list(), deps.pools.countUnnamed()]);
  if (all.length - unnamed >= poolsMax) {
    throw new ProblemError('limit-reached', `There are ${poolsMax} pools, which is the most.`);
  }
}

function changed(pool: StoredPool, body: PoolBody): StoredPool {
  return { ...pool, ...body, version: pool.version + 1 };
}
