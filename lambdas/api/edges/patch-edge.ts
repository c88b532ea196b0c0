import { type EdgePatch, edgePatchSchema } from '../../../core/contract/edge-body.ts';
import type { EdgeConfig, PullConfig } from '../../../core/model/cell.ts';
import { audit } from '../http/audit.ts';
import { checkQuery } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { readBody } from '../http/json-body.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { configureEdge, type EdgeChange, readEdgeChange } from './configure-edge.ts';
import { moveEdge } from './move-edge.ts';
import { edgeNow } from './view/visible-edge.ts';

/**
 * `PATCH /v1/edges/{name}`: labels, capacity, whether it takes new work, and its pool. Uncordoning
 * also ends a drain.
 */
export const patchEdge = defineOperation({
  name: 'patchEdge',
  read: (call): EdgeChange & { readonly patch: EdgePatch } => {
    checkQuery(call, []);
    return { patch: readBody(call, edgePatchSchema), ...readEdgeChange(call) };
  },
  run: async ({ patch, ...asked }, context, deps: Pick<Ports, 'edges' | 'audit' | 'pools'>) => {
    const change = (config: EdgeConfig) => patched(config, patch, context.nowMs);
    const moved = patch.pool === undefined ? null : { ...asked, pool: patch.pool };
    const edge =
      (moved === null ? null : await moveEdge(moved, context, deps, change)) ??
      (await configureEdge(asked, context, deps, change));
    const fields = Object.keys(patch).join(', ');
    await audit(context, deps, `edge-edited: ${fields}`, edge.name);
    return edgeNow(deps, edge, context.nowMs);
  },
  answer: (edge) => tagged(200, edge),
});

function patched(config: EdgeConfig, patch: EdgePatch, nowMs: number): EdgeConfig {
  const next = {
    ...config,
    labels: patch.labels ?? config.labels,
    capacity: patch.capacity ?? config.capacity,
    ...(config.pull == null && patch.mode !== 'pull' ? {} : { pull: pullOf(config, patch) }),
  };
  if (patch.cordoned === undefined) return next;
  if (!patch.cordoned) return { ...next, cordoned: null, drain: null };
  const reason = patch.reason ?? config.cordoned?.reason ?? 'cordoned';
  return { ...next, cordoned: { reason, sinceMs: config.cordoned?.sinceMs ?? nowMs } };
}

/** Accepted work stays, whichever way the mode changes. */
function pullOf({ pull }: EdgeConfig, { mode, offers }: EdgePatch): PullConfig | null {
  const isPull = mode === undefined ? pull != null : mode === 'pull';
  return isPull ? { offers: offers ?? pull?.offers ?? 'named' } : null;
}
