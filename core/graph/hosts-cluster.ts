import type { Child, GraphDigest, Kind, Shape } from './digest.ts';
import { factsOfHost } from './requirement.ts';
import type { Scalar } from './vertex.ts';

/**
 * The hosts of a pool as one cluster: a vertex `node` for each, below it what it has, with what it
 * says of itself attached to it. So a jobspec asks a fleet of hosts what it asks a cluster.
 */
export type Host = {
  readonly name: string;
  /** By name, as jobs ask for them: `cores`, `gpus`, `memoryMb`. */
  readonly capacity: ReadonlyMap<string, number>;
  readonly facts: ReadonlyMap<string, Scalar>;
};

export function clusterOfHosts(hosts: readonly Host[]): GraphDigest {
  const leaves = new Map<string, { readonly shape: Shape; readonly place: number }>();
  const kinds: Kind[] = [];
  const kindOf = new Map<string, number>();
  const nodes = new Map<string, { readonly shape: Shape; times: number }>();
  const counts = new Map<string, number>([['cluster', 1]]);
  const count = (type: string, size: number) => counts.set(type, (counts.get(type) ?? 0) + size);
  for (const { capacity, facts } of [...hosts].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    count('node', 1);
    const children: Child[] = [];
    for (const [name, amount] of [...capacity].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const size = Math.floor(amount);
      if (size < 1 || name === 'power') continue;
      const leaf = leafOf(name, size);
      count(leaf.type, size);
      const key = JSON.stringify(leaf);
      const place = leaves.get(key)?.place ?? leaves.size;
      leaves.set(key, { shape: leaf, place });
      children.push({ shape: place, times: 1 });
    }
    const fields = new Map([...facts].sort(([a], [b]) => (a < b ? -1 : 1)));
    const said = JSON.stringify([...fields]);
    const kind = kindOf.get(said) ?? kinds.length;
    kindOf.set(said, kind);
    if (kind === kinds.length)
      kinds.push({ subsystem: factsOfHost, fields, attributes: new Map() });
    const shape = { type: 'node', size: 1, unit: '', attached: [kind], children };
    const key = JSON.stringify(shape);
    const node = nodes.get(key) ?? { shape, times: 0 };
    node.times++;
    nodes.set(key, node);
  }
  const shapes = [...leaves.values()].map(({ shape }) => shape);
  const children = [...nodes.values()].map(({ times }, at) => ({
    shape: shapes.length + at,
    times,
  }));
  const root = { type: 'cluster', size: 1, unit: '', attached: [], children };
  return {
    vertices: hosts.length,
    counts,
    shapes: [...shapes, ...[...nodes.values()].map(({ shape }) => shape), root],
    kinds,
    subsystems: [],
  };
}

const singular = new Map([
  ['cores', 'core'],
  ['gpus', 'gpu'],
]);

function leafOf(name: string, size: number): Shape {
  const isMemory = name === 'memoryMb';
  const type = isMemory ? 'memory' : (singular.get(name) ?? name);
  return { type, size, unit: isMemory ? 'MB' : '', attached: [], children: [] };
}
