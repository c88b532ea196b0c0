import { type EdgePatch, edgePatchSchema } from '../../../core/contract/edge-body.ts';
import type { EdgeConfig } from '../../../core/model/cell.ts';
import { audit } from '../http/audit.ts';
import { checkQuery } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { readBody } from '../http/json-body.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { configureEdge, type EdgeChange, readEdgeChange } from './configure-edge.ts';
import { edgeNow } from './view/visible-edge.ts';

/**
 * `PATCH /v1/edges/{name}`: labels, capacity and whether it takes new work. Uncordoning also ends a
 * drain.
 */
export const patchEdge = defineOperation({
  name: 'patchEdge',
  read: (call): EdgeChange & { readonly patch: EdgePatch } => {
    checkQuery(call, []);
    return { patch: readBody(call, edgePatchSchema), ...readEdgeChange(call) };
  },
  run: async ({ patch, ...asked }, context, deps: Pick<Ports, 'edges' | 'jobs' | 'audit'>) => {
    const edge = await configureEdge(asked, context, deps, (config) =>
      patched(config, patch, context.nowMs),
    );
    const fields = Object.keys(patch).join(', ');
    await audit(context, deps, `edge-edited: ${fields}`, edge.name);
    return edgeNow(deps, edge);
  },
  answer: (edge) => tagged(200, edge),
});

function patched(config: EdgeConfig, patch: EdgePatch, nowMs: number): EdgeConfig {
  const next = {
    ...config,
    labels: patch.labels ?? config.labels,
    capacity: patch.capacity ?? config.capacity,
  };
  if (patch.cordoned === undefined) return next;
  if (!patch.cordoned) return { ...next, cordoned: null, drain: null };
  const reason = patch.reason ?? config.cordoned?.reason ?? 'cordoned';
  return { ...next, cordoned: { reason, sinceMs: config.cordoned?.sinceMs ?? nowMs } };
}
