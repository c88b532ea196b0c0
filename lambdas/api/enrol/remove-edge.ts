import { configureEdge } from '../edges/configure-edge.ts';
import { audit } from '../http/audit.ts';
import { type Answer, type Call, checkQuery, flagOf } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import type { Ports } from '../ports.ts';
import { edgeViews, visibleEdge } from '../views/visible-edge.ts';
import { revokeCertificates } from './finish-removal.ts';

/**
 * `DELETE /v1/edges/{name}`: the edge drains and is then removed for good, with its certificate and
 * its shadows. With `?force=true` its certificate and secrets end now, so that it can do no more;
 * what it held goes elsewhere.
 */
export async function removeEdge(
  call: Call,
  deps: Pick<Ports, 'edges' | 'jobs' | 'audit' | 'iot' | 'removals'>,
): Promise<Answer> {
  checkQuery(call, ['force']);
  const force = flagOf(call, 'force');
  const before = await visibleEdge(call, deps);
  const identity = await deps.edges.identify(before.name);
  const edge = await configureEdge(call, deps, (config) => ({
    ...config,
    cordoned: config.cordoned ?? { reason: 'removed', sinceMs: call.nowMs },
    removing: { force: force || config.removing?.force === true },
  }));
  if (identity !== null) {
    await deps.edges.markRemoving(identity, call.nowMs);
    if (force) await deps.edges.revoke(identity);
    if (force) await revokeCertificates(deps, identity);
    await deps.removals.lookAt(edge.name, 0, 1);
  }
  await audit(call, deps, force ? 'edge-removed-by-force' : 'edge-removed', edge.name);
  const [view] = await edgeViews(deps, [edge]);
  return tagged(202, edge.version, view);
}
