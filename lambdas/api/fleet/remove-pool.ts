import { notFound, ProblemError } from '../../../core/contract/problem.ts';
import { seesPool } from '../../../core/model/caller.ts';
import { changeAttemptsMax } from '../../../core/model/limits.ts';
import { audit } from '../http/audit.ts';
import { checkQuery, paramOf } from '../http/call.ts';
import { contended } from '../http/outage.ts';
import { checkVersion, readPrecondition } from '../http/precondition.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';

/**
 * `DELETE /v1/pools/{name}`: a pool without edges and open jobs, whoever made it. Its ended jobs
 * stay, and stay in the list of jobs.
 */
export const removePool = defineOperation({
  name: 'removePool',
  read: (call) => {
    checkQuery(call, []);
    return { name: paramOf(call, 'name', 'such pool'), precondition: readPrecondition(call) };
  },
  run: async ({ name, precondition }, context, deps: Pick<Ports, 'pools' | 'audit'>) => {
    for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
      const { pool } = await deps.pools.find(name);
      if (pool === null || !seesPool(context.caller, name)) throw notFound(`pool "${name}"`);
      checkVersion(precondition, pool.version);
      const outcome = await deps.pools.remove(name, pool.version);
      if (outcome === 'in-use') throw new ProblemError('pool-in-use');
      if (outcome === 'changed') continue;
      await audit(context, deps, 'pool-removed', name);
      return;
    }
    throw contended();
  },
  answer: () => ({ status: 204 }),
});
