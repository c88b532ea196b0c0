import { readClusterTree } from '../../core/graph/cluster-tree.ts';
import { attachedWithin, type GraphDigest } from '../../core/graph/digest.ts';
import { makeDigest } from '../../core/graph/make-digest.ts';
import type { Figures } from '../run.ts';
import { medianOf } from './timing.ts';

/**
 * What a graph costs: reading it, and walking its digest once, when all of 10⁴ vertices are
 * different and when all are equal.
 */
const verticesCount = 10_000;

export function measureGraphs(): readonly Figures[] {
  return [measure('different', (i) => i + 1), measure('equal', () => 1)];
}

function measure(name: string, sizeOf: (vertex: number) => number): Figures {
  const document = documentOf(sizeOf);
  const read = medianOf(() => digestOf(document));
  const walk = medianOf(() => attachedWithin(read.result, () => true));
  return {
    figure: `graph of ${verticesCount} ${name} vertices`,
    shapes: read.result.shapes.length,
    readMs: read.ms,
    walkMs: walk.ms,
  };
}

function digestOf(document: unknown): GraphDigest {
  const read = readClusterTree(document);
  if (!read.ok) throw new Error(read.errors[0]!.message);
  return makeDigest(read.value, []);
}

function documentOf(sizeOf: (vertex: number) => number): unknown {
  const ids = Array.from({ length: verticesCount - 1 }, (_, i) => String(i + 1));
  const root: [string, unknown] = ['0', { metadata: { type: 'cluster' } }];
  const node = (id: string) => ({ metadata: { type: 'node', name: id, size: sizeOf(Number(id)) } });
  return {
    graph: {
      nodes: Object.fromEntries([root, ...ids.map((id): [string, unknown] => [id, node(id)])]),
      edges: ids.map((target) => ({ source: '0', target, relation: 'contains' })),
    },
  };
}
