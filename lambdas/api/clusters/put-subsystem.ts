import { ProblemError } from '../../../core/contract/problem.ts';
import { subsystemBytesMax } from '../../../core/graph/limits.ts';
import type { StoredSubsystem } from '../../../core/ports/clusters.ts';
import { audit } from '../http/audit.ts';
import { checkQuery, edgeOfPath, newNameOf } from '../http/call.ts';
import { readPackedDocument } from '../http/json-body.ts';
import { checkAbsent, checkPresent, readPrecondition } from '../http/precondition.ts';
import { timeOf } from '../jobs/view/job-view.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { changeCluster } from './change-cluster.ts';
import {
  describeCluster,
  hashOfDocument,
  refusedGraph,
  storedDocument,
  storedSubsystems,
} from './cluster-documents.ts';
import { clusterTag } from './get-nodes.ts';
import { noLonger } from './put-nodes.ts';
import { sendAgain } from './remove-nodes.ts';

/** `PUT /v1/edges/{name}/subsystems/{subsystem}`: a new one (201), or in place of one (200). */
export const putSubsystem = defineOperation({
  name: 'putSubsystem',
  read: (call) => {
    checkQuery(call, []);
    const subsystem = newNameOf(call, 'subsystem');
    const document = readPackedDocument(call, subsystemBytesMax);
    return { name: edgeOfPath(call), subsystem, document, precondition: readPrecondition(call) };
  },
  run: async ({ name, subsystem, document, precondition }, context, deps: Deps) => {
    const stored = await changeCluster(name, context, deps, async (before) => {
      const known = before.subsystems.some((it) => it.name === subsystem);
      if (before.graph === null) {
        throw new ProblemError('conflict', 'A subsystem is attached to a graph: send nodes first.');
      }
      if (known) checkPresent(precondition, before.version);
      else checkAbsent(precondition);
      const nodes = await storedDocument(deps.graphs, name, before.graph.hash);
      if (nodes === null) throw new ProblemError('conflict', sendAgain);
      const others = await storedSubsystems(deps.graphs, before);
      const subsystems = new Map(others).set(subsystem, document);
      const places = { nodes: [], subsystem: () => [] };
      const described = describeCluster({ nodes, subsystems }, before, places, context.nowMs);
      if (described.kind === 'detached') throw refusedGraph(described.errors);
      const { digest, ...rest } = described.cluster;
      await deps.graphs.put(name, hashOfDocument(document.bytes), document.bytes);
      const next = { ...before, ...rest, version: before.version + 1 };
      const dropped = noLonger(before, next);
      return { next, digest, outcome: { created: !known, next, dropped } };
    });
    for (const old of stored.dropped) await deps.graphs.remove(name, old);
    await audit(context, deps, `cluster-subsystem-changed: ${subsystem}`, name);
    const view = stored.next.subsystems.find((it) => it.name === subsystem)!;
    return { created: stored.created, version: stored.next.version, view };
  },
  answer: ({ created, version, view }) => ({
    status: created ? 201 : 200,
    headers: { etag: clusterTag(version, view.hash) },
    body: subsystemView(view),
  }),
});

type Deps = Pick<Ports, 'edges' | 'clusters' | 'graphs' | 'audit'>;

export function subsystemView(stored: StoredSubsystem) {
  const { name, vertices, attachedTo, types, registeredAtMs } = stored;
  return { name, vertices, attachedTo, types: { ...types }, registeredAt: timeOf(registeredAtMs) };
}
