import type { EdgeConfig } from '../../../core/cell.ts';
import { type EdgePatch, edgePatchSchema } from '../../../core/wire/edge-body.ts';
import { audit } from '../http/audit.ts';
import { type Answer, type Call, checkQuery } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { readBody } from '../http/json-body.ts';
import type { Ports } from '../ports.ts';
import { edgeViews } from '../views/visible-edge.ts';
import { configureEdge } from './configure-edge.ts';

/**
 * `PATCH /v1/edges/{name}`: labels, capacity and whether it takes new work. Uncordoning also ends a
 * drain.
 */
export async function patchEdge(
  call: Call,
  deps: Pick<Ports, 'edges' | 'jobs' | 'audit'>,
): Promise<Answer> {
  checkQuery(call, []);
  const patch = readBody(call, edgePatchSchema);
  const edge = await configureEdge(call, deps, (config) => patched(config, patch, call.nowMs));
  await audit(call, deps, `edge-edited: ${Object.keys(patch).join(', ')}`, edge.name);
  const [body] = await edgeViews(deps, [edge]);
  return tagged(200, edge.version, body);
}

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
