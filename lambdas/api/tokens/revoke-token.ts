import { notFound } from '../../../core/contract/problem.ts';
import { audit } from '../http/audit.ts';
import { checkQuery, paramOf } from '../http/call.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { isWithin } from './token-view.ts';

/** `DELETE /v1/tokens/{id}`: the token opens nothing from now on. */
export const revokeToken = defineOperation({
  name: 'revokeToken',
  read: (call) => {
    checkQuery(call, []);
    return { id: paramOf(call, 'id', 'such token') };
  },
  run: async ({ id }, context, deps: Pick<Ports, 'tokens' | 'audit'>) => {
    const token = await deps.tokens.findById(id);
    if (token === null || !isWithin(context.caller, token)) throw notFound(`token "${id}"`);
    await deps.tokens.remove(token);
    await audit(context, deps, 'token-revoked', id);
  },
  answer: () => ({ status: 204 }),
});
