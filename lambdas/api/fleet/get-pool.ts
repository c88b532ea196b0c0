import { notFound } from '../../../core/contract/problem.ts';
import { seesPool } from '../../../core/model/caller.ts';
import { checkQuery, paramOf } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { poolView } from './pool-view.ts';

/** `GET /v1/pools/{name}`: one pool; an edge that enrolled into it is enough to make it one. */
export const getPool = defineOperation({
  name: 'getPool',
  read: (call) => {
    checkQuery(call, []);
    return { name: paramOf(call, 'name', 'such pool') };
  },
  run: async ({ name }, { caller }, deps: Pick<Ports, 'pools'>) => {
    const found = await deps.pools.find(name);
    const exists = found.pool !== null || found.cells.length > 0;
    if (!exists || !seesPool(caller, name)) throw notFound(`pool "${name}"`);
    return { version: found.pool?.version ?? 0, view: poolView(name, found) };
  },
  answer: (pool) => tagged(200, pool),
});
