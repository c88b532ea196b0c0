import { forgetCluster, revokeCertificates } from '../../workers/edge-removal/finish-removal.ts';
import {
  type ConfigChange,
  configureEdge,
  type EdgeChange,
  readEdgeChange,
} from '../edges/configure-edge.ts';
import { edgeNow, visibleEdge } from '../edges/view/visible-edge.ts';
import { audit } from '../http/audit.ts';
import { checkQuery, flagOf } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';

/**
 * `DELETE /v1/edges/{name}`: the edge drains and is then removed for good, with its certificate and
 * its shadows. With `?force=true` its certificate and secrets end now, so that it can do no more;
 * what it held goes elsewhere. That also works when rows of it cannot be read. What it was as a
 * cluster goes at once: nobody shall submit to what is on its way out.
 */
export const removeEdge = defineOperation({
  name: 'removeEdge',
  read: (call): EdgeChange & { readonly force: boolean } => {
    checkQuery(call, ['force']);
    return { force: flagOf(call, 'force'), ...readEdgeChange(call) };
  },
  run: async (asked, context, deps: RemoveDeps) => {
    const { force } = asked;
    const { nowMs } = context;
    const before = await visibleEdge(asked.name, context.caller, deps);
    const identity = await deps.edges.remains(before.name);
    const change: ConfigChange = (config) => ({
      ...config,
      cordoned: config.cordoned ?? { reason: 'removed', sinceMs: nowMs },
      removing: { force: force || config.removing?.force === true },
    });
    const unreadable = force ? 'replaced' : 'refused';
    const edge = await configureEdge(asked, context, deps, change, unreadable);
    await forgetCluster(deps, before.name);
    if (identity !== null) {
      await deps.edges.markRemoving(identity, nowMs);
      if (force) await deps.edges.revoke(identity);
      if (force) await revokeCertificates(deps, identity);
      await deps.removals.lookAt(edge.name, 0, 1);
    }
    await audit(context, deps, force ? 'edge-removed-by-force' : 'edge-removed', edge.name);
    return edgeNow(deps, edge, context.nowMs);
  },
  answer: (edge) => tagged(202, edge),
});

type RemoveDeps = Pick<Ports, 'edges' | 'clusters' | 'graphs' | 'audit' | 'iot' | 'removals'>;
