import { type DrainBody, drainBodySchema } from '../../../core/contract/edge-body.ts';
import { audit } from '../http/audit.ts';
import { checkQuery } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { readOptionalBody } from '../http/json-body.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { configureEdge, type EdgeChange, readEdgeChange } from './configure-edge.ts';
import { edgeNow } from './view/visible-edge.ts';

/**
 * `POST /v1/edges/{name}/drain`: no new work; what has not begun moves at once, what runs has until
 * the deadline.
 */
export const drainEdge = defineOperation({
  name: 'drainEdge',
  read: (call): EdgeChange & DrainBody => {
    checkQuery(call, []);
    return { ...readOptionalBody(call, drainBodySchema), ...readEdgeChange(call) };
  },
  run: async (asked, context, deps: Pick<Ports, 'edges' | 'audit'>) => {
    const { reason, deadlineSeconds } = asked;
    const { nowMs } = context;
    const deadlineAtMs = deadlineSeconds === null ? null : nowMs + deadlineSeconds * 1_000;
    const edge = await configureEdge(asked, context, deps, (config) => ({
      ...config,
      cordoned: config.cordoned ?? { reason, sinceMs: nowMs },
      drain: { reason, deadlineAtMs },
    }));
    await audit(context, deps, 'edge-drained', edge.name);
    return edgeNow(deps, edge, nowMs);
  },
  answer: (edge) => tagged(202, edge),
});
