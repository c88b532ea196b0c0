import { type ClusterTree, readClusterTree } from '../../../core/graph/cluster-tree.ts';
import type { GraphDigest } from '../../../core/graph/digest.ts';
import { makeDigest } from '../../../core/graph/make-digest.ts';
import { readSubsystem, type Subsystem } from '../../../core/graph/subsystem-graph.ts';
import { readSample } from '../../read-sample.ts';

/** Graphs for tests: the published samples, and small ones that are quick to write. */

export type Drawn = {
  readonly type: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly children?: readonly Drawn[];
};

export type Document = {
  readonly graph: {
    readonly nodes: Readonly<Record<string, unknown>>;
    readonly edges: readonly { source: string; target: string; relation: string }[];
  };
};

export function sample(name: string): unknown {
  const folder = name === 'spack-subsystem' ? 'range' : 'scheduler';
  return JSON.parse(readSample(`rainbow/${folder}/${name}.json`));
}

/** The document of a drawn tree; ids are numbers in the order of a walk down. */
export function documentOf(root: Drawn): Document {
  const nodes: [string, unknown][] = [];
  const edges: { source: string; target: string; relation: string }[] = [];
  const write = ({ type, metadata, children = [] }: Drawn): string => {
    const id = String(nodes.length);
    nodes.push([id, { label: id, metadata: { type, name: `${type}${id}`, ...metadata } }]);
    for (const child of children) {
      const target = write(child);
      edges.push({ source: id, target, relation: 'contains' });
    }
    return id;
  };
  write(root);
  return { graph: { nodes: Object.fromEntries(nodes), edges } };
}

export function treeOf(document: unknown): ClusterTree {
  const read = readClusterTree(document);
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  return read.value;
}

export function subsystemOf(name: string, document: unknown, tree: ClusterTree): Subsystem {
  const read = readSubsystem(name, document, tree);
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  return read.value;
}

export function digestOf(
  document: unknown,
  subsystems: Readonly<Record<string, unknown>> = {},
): GraphDigest {
  const tree = treeOf(document);
  const read = Object.entries(subsystems).map(([name, graph]) => subsystemOf(name, graph, tree));
  return makeDigest(tree, read);
}

/** So many equal nodes of so many cores below one cluster. */
export function equalNodes(nodes: number, cores: number): Document {
  const node = {
    type: 'node',
    children: Array.from({ length: cores }, () => ({ type: 'core' })),
  };
  return documentOf({ type: 'cluster', children: Array.from({ length: nodes }, () => node) });
}
