import { notFound, ProblemError } from '../../../core/contract/problem.ts';
import { audit } from '../http/audit.ts';
import { checkQuery, edgeOfPath, paramOf } from '../http/call.ts';
import { checkVersion, readPrecondition } from '../http/precondition.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { changeCluster } from './change-cluster.ts';
import { describeCluster, storedDocument, storedSubsystems } from './cluster-documents.ts';
import { noLonger } from './put-nodes.ts';

/** `DELETE /v1/edges/{name}/nodes`: a plain edge again, also without its subsystems. */
export const removeNodes = defineOperation({
  name: 'removeNodes',
  read: (call) => {
    checkQuery(call, []);
    return { name: edgeOfPath(call), precondition: readPrecondition(call) };
  },
  run: async ({ name, precondition }, context, deps: RemoveDeps) => {
    const dropped = await changeCluster(name, context, deps, async (before) => {
      if (before.graph === null) throw notFound(`graph of "${name}"`);
      checkVersion(precondition, before.version);
      const next = { ...before, graph: null, subsystems: [], version: before.version + 1 };
      return { next, digest: null, counted: null, outcome: noLonger(before, next) };
    });
    for (const old of dropped) await deps.graphs.remove(name, old);
    await audit(context, deps, 'cluster-graph-removed', name);
  },
  answer: () => ({ status: 204 }),
});

/** `DELETE /v1/edges/{name}/subsystems/{subsystem}`: takes effect on the next match. */
export const removeSubsystem = defineOperation({
  name: 'removeSubsystem',
  read: (call) => {
    checkQuery(call, []);
    const subsystem = paramOf(call, 'subsystem', 'such subsystem');
    return { name: edgeOfPath(call), subsystem, precondition: readPrecondition(call) };
  },
  run: async ({ name, subsystem, precondition }, context, deps: RemoveDeps) => {
    const dropped = await changeCluster(name, context, deps, async (before) => {
      if (!before.subsystems.some((it) => it.name === subsystem)) {
        throw new ProblemError('subsystem-not-found');
      }
      checkVersion(precondition, before.version);
      const nodes = await storedDocument(deps.graphs, name, before.graph?.hash ?? '');
      if (nodes === null) throw new ProblemError('conflict', sendAgain);
      const subsystems = new Map(await storedSubsystems(deps.graphs, before));
      subsystems.delete(subsystem);
      const places = { nodes: [], subsystem: (it: string) => ['subsystems', it] };
      const described = describeCluster({ nodes, subsystems }, before, places, context.nowMs);
      if (described.kind === 'detached') throw new ProblemError('conflict', sendAgain);
      const { digest, ...rest } = described.cluster;
      const next = { ...before, ...rest, version: before.version + 1 };
      return { next, digest, outcome: noLonger(before, next) };
    });
    for (const old of dropped) await deps.graphs.remove(name, old);
    await audit(context, deps, `cluster-subsystem-removed: ${subsystem}`, name);
  },
  answer: () => ({ status: 204 }),
});

type RemoveDeps = Pick<Ports, 'edges' | 'clusters' | 'graphs' | 'audit'>;

export const sendAgain = 'The graph of this cluster cannot be read any more: send it again.';
