import type { Requirement, Resource } from '../../../core/contract/jobspec/jobspec-schema.ts';

/**
 * Forty-eight clusters and eighteen requests: products of processor, memory, accelerators and
 * software, with shapes drawn from a seed; and who has what each asks for, by counting in the
 * documents as they are sent. The count knows nothing of digests, terms or how a match is made.
 */
export type RawVertex = {
  readonly metadata: Readonly<Record<string, unknown>> & { readonly type: string };
};
export type RawGraph = {
  readonly graph: {
    readonly nodes: Record<string, RawVertex>;
    readonly edges: { source: string; target: string; relation: 'contains' }[];
  };
};
export type ProductCluster = {
  readonly name: string;
  readonly nodes: RawGraph;
  readonly subsystems: Readonly<Record<string, RawGraph>>;
};
export type ProductRequest = {
  readonly name: string;
  readonly resource: Resource;
};

const processors = ['amd64', 'arm64', 'ppc64le', 'riscv64'];
const memories = [64, 256];
const accelerators = [null, 'a100', 'mi250'];
const software = [
  ['lammps', '1.2.0'],
  ['lammps', '1.10.0'],
] as const;

export function productClusters(seed: number): readonly ProductCluster[] {
  const draw = drawsFrom(seed);
  return processors.flatMap((processor) =>
    memories.flatMap((memory) =>
      accelerators.flatMap((accelerator) =>
        software.map(([program, version]) => {
          const name = [
            'c',
            processor,
            memory,
            accelerator ?? 'none',
            version.replaceAll('.', '-'),
          ];
          const makeup = { processor, memory, accelerator, program, version };
          return clusterOf(name.join('-'), makeup, draw);
        }),
      ),
    ),
  );
}

type Makeup = {
  readonly processor: string;
  readonly memory: number;
  readonly accelerator: string | null;
  readonly program: string;
  readonly version: string;
};
type Draw = (from: number, to: number) => number;

/** Racks of nodes that differ: in cores, whether they have the accelerators, and the software. */
function clusterOf(name: string, makeup: Makeup, draw: Draw): ProductCluster {
  const nodes = emptyGraph();
  const system = emptyGraph();
  const spack = emptyGraph();
  const root = add(nodes, null, { type: 'cluster', name });
  add(spack, null, { type: 'spack' }, 'spack');
  add(system, null, { type: 'system' }, 'system');
  for (let rack = draw(1, 2); rack > 0; rack--) {
    const place = add(nodes, root, { type: 'rack' });
    for (let at = draw(1, 4); at > 0; at--) {
      const node = add(nodes, place, { type: 'node' });
      for (let socket = 2; socket > 0; socket--) {
        const socketId = add(nodes, node, { type: 'socket' });
        add(nodes, socketId, { type: 'core', size: draw(4, 16) });
      }
      add(nodes, node, { type: 'memory', size: makeup.memory, unit: 'GB' });
      if (makeup.accelerator !== null && draw(0, 3) > 0) {
        for (let gpu = draw(1, 4); gpu > 0; gpu--) {
          attach(system, add(nodes, node, { type: 'gpu' }), {
            type: 'accelerator',
            'gpu.model': makeup.accelerator,
          });
        }
      }
      attach(system, node, { type: 'processor', 'cpu.target': makeup.processor });
      if (draw(0, 3) === 0) continue;
      const attributes = { name: makeup.program };
      attach(spack, node, { type: 'package', version: makeup.version, attributes });
    }
  }
  return { name, nodes, subsystems: { system, spack } };
}

function emptyGraph(): RawGraph {
  return { graph: { nodes: {}, edges: [] } };
}

function add(
  { graph }: RawGraph,
  parent: string | null,
  metadata: RawVertex['metadata'],
  id = String(Object.keys(graph.nodes).length),
): string {
  graph.nodes[id] = { metadata };
  if (parent !== null) graph.edges.push({ source: parent, target: id, relation: 'contains' });
  return id;
}

function attach(subsystem: RawGraph, vertex: string, metadata: RawVertex['metadata']): void {
  const id = `own-${Object.keys(subsystem.graph.nodes).length}`;
  add(subsystem, vertex, metadata, id);
}

/** The same numbers for the same seed, both ends included. */
function drawsFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (from, to) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return from + Math.floor((state / 2 ** 32) * (to - from + 1));
  };
}

const onProcessor = (target: string): Requirement => {
  return { name: 'system', field: 'cpu.target', match: target };
};
const withModel = (model: string): Requirement => {
  return { name: 'system', field: 'gpu.model', match: model };
};
const lammps = (bounds: Pick<Requirement, 'min' | 'max'>): Requirement => {
  return { name: 'spack', field: 'version', attribute: 'name', value: 'lammps', ...bounds };
};

/** Three sizes by processor and accelerator by software. */
export function productRequests(): readonly ProductRequest[] {
  const sizes = [
    { count: 1, cores: 8, memory: 64 },
    { count: 2, cores: 16, memory: 64 },
    { count: 3, cores: 12, memory: 128 },
  ];
  const kinds: readonly (readonly [string, readonly Requirement[], number])[] = [
    ['amd64', [onProcessor('amd64')], 0],
    ['arm64-a100', [onProcessor('arm64'), withModel('a100')], 1],
    ['mi250', [withModel('mi250')], 2],
  ];
  const programs: readonly (readonly [string, Requirement])[] = [
    ['old', lammps({ max: '1.9.9' })],
    ['new', lammps({ min: '1.3.0', max: '1.10.0' })],
  ];
  return sizes.flatMap(({ count, cores, memory }) =>
    kinds.flatMap(([kind, requires, gpus]) =>
      programs.map(([program, package_]): ProductRequest => {
        const within: Resource[] = [
          { type: 'core', count: cores },
          { type: 'memory', count: memory, unit: 'GB' },
          ...(gpus === 0 ? [] : [{ type: 'gpu', count: gpus }]),
        ];
        const resource = { type: 'node', count, with: within, requires: [...requires, package_] };
        return { name: `${count}-${kind}-${program}`, resource };
      }),
    ),
  );
}

/** Nodes that have it all, each looked at by itself. */
export function hasAll(cluster: ProductCluster, { resource }: ProductRequest): boolean {
  const { nodes, edges } = cluster.nodes.graph;
  const below = (id: string): string[] => [
    id,
    ...edges.filter(({ source }) => source === id).flatMap(({ target }) => below(target)),
  ];
  const good = Object.keys(nodes).filter((id) => {
    if (nodes[id]!.metadata.type !== 'node') return false;
    const parts = below(id);
    const amountOf = (type: string) =>
      parts
        .filter((it) => nodes[it]!.metadata.type === type)
        .reduce((sum, it) => sum + Number(nodes[it]!.metadata.size ?? 1), 0);
    const isLarge = resource.with!.every(({ type, count }) => amountOf(type) >= count!);
    return isLarge && resource.requires!.every((it) => isAt(cluster, parts, it));
  });
  return good.length >= resource.count!;
}

function isAt({ subsystems }: ProductCluster, parts: string[], asked: Requirement): boolean {
  const { nodes, edges } = subsystems[asked.name]!.graph;
  return edges.some(({ source, target }) => {
    if (!parts.includes(source)) return false;
    const { metadata } = nodes[target]!;
    const value = metadata[asked.field];
    if (value === undefined || (asked.match !== undefined && value !== asked.match)) return false;
    const attributes = metadata.attributes as Record<string, unknown> | undefined;
    if (asked.attribute !== undefined && attributes?.[asked.attribute] !== asked.value)
      return false;
    if (asked.min !== undefined && order(String(value)) < order(String(asked.min))) return false;
    return asked.max === undefined || order(String(value)) <= order(String(asked.max));
  });
}

/** Three parts below a thousand. */
function order(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return (major * 1_000 + minor) * 1_000 + patch;
}
