import { expect, test } from 'vitest';
import type { GraphDigest } from '../../../core/graph/digest.ts';
import { readSubsystem } from '../../../core/graph/subsystem-graph.ts';
import { digestOf, documentOf, equalNodes, sample, subsystemOf, treeOf } from './graph-fixture.ts';

/** Where what a cluster has besides its hardware is attached. */

const contains = (source: string, target: string) => ({ source, target, relation: 'contains' });
const inside = (source: string, target: string) => ({ source, target, relation: 'in' });
const vertex = (type: string, more: object = {}) => ({ metadata: { type, ...more } });
const graph = (nodes: unknown, edges: unknown = []) => ({ graph: { nodes, edges } });

const two = treeOf(equalNodes(2, 1));

function attachedOf(nodes: unknown, edges?: unknown): Record<string, readonly string[]> {
  return Object.fromEntries(subsystemOf('spack', graph(nodes, edges), two).attached);
}

test('the published sample is attached to its three nodes, its root to the cluster', () => {
  const io = subsystemOf('io', sample('cluster-io-subsystem'), treeOf(sample('cluster-nodes')));
  expect(io.attached.get('io1')).toEqual(['16', '2', '30']);
  expect(io.attached.get('io0')).toEqual(['0']);
});

test('a vertex is where an edge joins it, from either side', () => {
  const nodes = { s: vertex('spack'), a: vertex('package'), b: vertex('package') };
  const edges = [contains('1', 'a'), inside('b', '3')];
  expect(attachedOf(nodes, edges)).toEqual({ a: ['1'], b: ['3'], s: ['0'] });
});

test('what is contained is where its container is, unless an edge joins it itself', () => {
  const nodes = { s: vertex('spack'), a: vertex('a'), b: vertex('b'), c: vertex('c') };
  const edges = [contains('s', 'a'), contains('a', 'b'), contains('b', 'c'), contains('3', 'c')];
  expect(attachedOf(nodes, [...edges, contains('1', 'a')])).toEqual({
    s: ['0'],
    a: ['1'],
    b: ['1'],
    c: ['3'],
  });
});

test('what hangs on nothing but the root of the subsystem belongs to the whole cluster', () => {
  const nodes = { s: vertex('spack'), a: vertex('a'), b: vertex('b') };
  expect(attachedOf(nodes, [contains('s', 'a'), contains('a', 'b')])).toEqual({
    s: ['0'],
    a: ['0'],
    b: ['0'],
  });
});

test('a cycle of what is attached ends', () => {
  const nodes = { a: vertex('a'), b: vertex('b') };
  const edges = [contains('1', 'a'), contains('a', 'b'), contains('b', 'a'), contains('3', 'b')];
  expect(attachedOf(nodes, edges)).toEqual({ a: ['1'], b: ['3'] });
});

test('ids of a subsystem are its own, also where the cluster has the same', () => {
  const nodes = { s: vertex('spack'), '1': vertex('package') };
  expect(attachedOf(nodes, [contains('s', '1')])).toEqual({ s: ['0'], '1': ['0'] });
});

test.each([
  [
    'a vertex that nothing reaches',
    graph({ s: vertex('spack'), x: vertex('y') }),
    '/graph/nodes/x',
    'vertex "x" is not attached',
  ],
  [
    'a cycle that nothing reaches',
    graph({ s: vertex('spack'), x: vertex('y') }, [contains('x', 'x')]),
    '/graph/nodes/x',
    'vertex "x" is not attached',
  ],
  [
    'an unknown end',
    graph({ s: vertex('spack') }, [contains('99', 's')]),
    '/graph/edges/0/source',
    'There is no vertex "99", neither here nor in the cluster\'s graph.',
  ],
  [
    'an edge of the cluster’s own',
    graph({ s: vertex('spack') }, [contains('0', '1')]),
    '/graph/edges/0',
    'One end of an edge is a vertex of the subsystem; both of these are the cluster’s.',
  ],
  ['no vertex', graph({}), '/graph/nodes', 'The graph has no vertex.'],
])('%s is refused with its place', (_what, document, pointer, message) => {
  const read = readSubsystem('spack', document, two);
  expect(read).toEqual({ ok: false, errors: [{ pointer, message }] });
});

test('edges that attach everything to everything are refused', () => {
  const tree = treeOf(equalNodes(9_000, 1));
  const names = Array.from({ length: 1_000 }, (_, i) => `s${i}`);
  const nodes = Object.fromEntries(names.map((name) => [name, vertex('package')]));
  const joins = Array.from({ length: 9_000 }, (_, i) => contains(String(i), 's0'));
  const chain = names.slice(1).map((name, i) => contains(names[i]!, name));
  const read = readSubsystem('spack', graph(nodes, [...joins, ...chain]), tree);
  expect(read).toMatchObject({ ok: false, errors: [{ pointer: '/graph/edges' }] });
});

const shapesOf = (digest: GraphDigest, type: string) =>
  digest.shapes.filter((shape) => shape.type === type);

test('nodes with different attachments are different shapes, with equal ones they are one', () => {
  const cluster = documentOf({
    type: 'cluster',
    children: [{ type: 'node' }, { type: 'node' }, { type: 'node' }],
  });
  const names = { s: vertex('spack'), a: vertex('package'), b: vertex('package') };
  const edges = [contains('1', 'a'), contains('2', 'b')];
  const equal = digestOf(cluster, { spack: graph(names, edges) });
  expect(equal.kinds.map(({ fields }) => fields.get('type'))).toEqual(['package', 'spack']);
  expect(shapesOf(equal, 'node').map(({ attached }) => attached)).toEqual([[0], []]);
  const other = { ...names, b: vertex('package', { attributes: { name: 'lammps' } }) };
  const different = digestOf(cluster, { spack: graph(other, edges) });
  expect(shapesOf(different, 'node').length).toBe(3);
});

test('names of two subsystems do not mix', () => {
  const cluster = equalNodes(1, 1);
  const one = graph({ r: vertex('root') });
  const digest = digestOf(cluster, { a: one, constructor: one });
  expect(digest.subsystems).toEqual(['a', 'constructor']);
  expect(digest.kinds.map(({ subsystem }) => subsystem)).toEqual(['a', 'constructor']);
  expect(digest.shapes.at(-1)?.attached).toEqual([0, 1]);
});
