import type { FieldError } from '../contract/validation.ts';
import { isRecord } from '../protocol/json.ts';
import { type ClusterTree, readClusterTree } from './cluster-tree.ts';
import type { GraphDigest } from './digest.ts';
import { writeDigest } from './digest-document.ts';
import { readEphemeral } from './ephemeral-cluster.ts';
import { type Checked, type Path, shown } from './json-graph.ts';
import { subsystemsMax } from './limits.ts';
import { attachToRoot, makeDigest } from './make-digest.ts';
import { readSubsystem, type Subsystem } from './subsystem-graph.ts';
import type { Vertex } from './vertex.ts';

/**
 * All that a cluster says of itself, from its documents to the digest: the graph or the limits of
 * its nodes, and each subsystem against it. Nothing of it is taken when a part is wrong.
 */
export type ReadCluster = {
  readonly digest: GraphDigest;
  readonly subsystems: readonly SubsystemSummary[];
};

export type SubsystemSummary = {
  readonly name: string;
  readonly vertices: number;
  /** How many vertices of the cluster's graph it is attached to. */
  readonly attachedTo: number;
  readonly types: Readonly<Record<string, number>>;
};

/** Reserved for what every cluster has; `system` is the cluster's own to send. */
const reservedSubsystems: ReadonlySet<string> = new Set(['nodes', 'cluster', 'facts']);

/** A subsystem that could not be read against the graph, and why. */
export type Detached = { readonly name: string; readonly errors: readonly FieldError[] };

export type ClusterReading =
  | { readonly kind: 'read'; readonly cluster: ReadCluster }
  | { readonly kind: 'refused'; readonly errors: readonly FieldError[] }
  /** The graph is good, and what is stored beside it does not belong to it. */
  | { readonly kind: 'detached'; readonly subsystems: readonly Detached[] };

/** `at` says where each document is in the request, for the pointers. */
export function readCluster(
  nodes: unknown,
  subsystems: ReadonlyMap<string, unknown>,
  at: { readonly nodes: Path; readonly subsystem: (name: string) => Path },
): ClusterReading {
  const base = readNodes(nodes, at.nodes);
  if (!base.ok) return { kind: 'refused', errors: base.errors };
  const wrong = [...subsystems.keys()].flatMap((name) => nameErrors(name, at.subsystem(name)));
  if (subsystems.size > subsystemsMax) {
    wrong.push({
      pointer: '/subsystems',
      message: `A cluster has at most ${subsystemsMax} of them.`,
    });
  }
  if (wrong.length > 0) return { kind: 'refused', errors: wrong };
  const read: Subsystem[] = [];
  const detached: Detached[] = [];
  for (const [name, document] of subsystems) {
    const subsystem = readSubsystem(name, document, base.value, at.subsystem(name));
    if (subsystem.ok) read.push(subsystem.value);
    else detached.push({ name, errors: subsystem.errors });
  }
  if (detached.length > 0) return { kind: 'detached', subsystems: detached };
  const digest = base.value.digestWith(read);
  const written = writeDigest(digest);
  if (!written.ok) {
    return { kind: 'refused', errors: [{ pointer: '', message: written.reason }] };
  }
  return { kind: 'read', cluster: { digest, subsystems: read.map(summaryOf) } };
}

function nameErrors(name: string, path: Path): readonly FieldError[] {
  if (!reservedSubsystems.has(name)) return [];
  return [{ pointer: `/${path.join('/')}`, message: `${shown(name)} is no name for a subsystem.` }];
}

/** Of a graph its own vertices, of limits only the cluster itself can be attached to. */
type Base = Pick<ClusterTree, 'root' | 'vertices'> & {
  readonly digestWith: (subsystems: readonly Subsystem[]) => GraphDigest;
};

function readNodes(nodes: unknown, at: Path): Checked<Base> {
  if (isRecord(nodes) && nodes.limits !== undefined && nodes.graph === undefined) {
    const read = readEphemeral(nodes, at);
    if (!read.ok) return read;
    const whole: Vertex = {
      type: 'cluster',
      size: 1,
      unit: '',
      exclusive: false,
      fields: new Map(),
      attributes: new Map(),
    };
    return {
      ok: true,
      value: {
        root: 'cluster',
        vertices: new Map([['cluster', whole]]),
        digestWith: (subsystems) => attachToRoot(read.value, 'cluster', subsystems),
      },
    };
  }
  const tree = readClusterTree(nodes, at);
  if (!tree.ok) return tree;
  const { root, vertices } = tree.value;
  const digestWith = (subsystems: readonly Subsystem[]) => makeDigest(tree.value, subsystems);
  return { ok: true, value: { root, vertices, digestWith } };
}

function summaryOf({ name, vertices, attached }: Subsystem): SubsystemSummary {
  const types = new Map<string, number>();
  for (const { type, size } of vertices.values()) types.set(type, (types.get(type) ?? 0) + size);
  return {
    name,
    vertices: vertices.size,
    attachedTo: new Set([...attached.values()].flat()).size,
    types: Object.fromEntries(types),
  };
}
