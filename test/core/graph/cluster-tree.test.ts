import { expect, test } from 'vitest';
import { readClusterTree } from '../../../core/graph/cluster-tree.ts';
import { graphDepthMax, graphEdgesMax, graphVerticesMax } from '../../../core/graph/limits.ts';
import { type Drawn, digestOf, documentOf, sample } from './graph-fixture.ts';

/** What is a cluster's graph and what is not, each refusal with the place of the mistake. */

const contains = (source: string, target: string) => ({ source, target, relation: 'contains' });
const graph = (nodes: unknown, edges?: unknown) => ({ graph: { nodes, edges } });
const ids = (...names: string[]) => Object.fromEntries(names.map((name) => [name, {}]));

test('the published sample has the counts that its authors give', () => {
  const document = sample('cluster-nodes') as { graph: { edges: readonly unknown[] } };
  const digest = digestOf(document);
  expect(digest.vertices).toBe(44);
  expect(document.graph.edges.length).toBe(86);
  expect(Object.fromEntries(digest.counts)).toEqual({
    cluster: 1,
    rack: 1,
    node: 3,
    socket: 3,
    core: 36,
  });
});

const chain = (depth: number): Drawn =>
  depth === 1 ? { type: 'box' } : { type: 'box', children: [chain(depth - 1)] };

const malformed: readonly [what: string, document: unknown, pointer: string, message: RegExp][] = [
  ['no object', [], '', /an object with "graph"/],
  ['nothing', null, '', /an object with "graph"/],
  ['no graph', {}, '/graph', /an object with "graph"/],
  ['vertices in a list', graph([{}]), '/graph/nodes', /under its id/],
  ['edges in an object', graph(ids('a'), {}), '/graph/edges', /a list/],
  ['undirected', { graph: { directed: false, nodes: ids('a') } }, '/graph/directed', /directed/],
  ['no vertex', graph({}, []), '/graph/nodes', /no vertex/],
  ['two vertices and no edge', graph(ids('a', 'b')), '/graph/edges', /no edge between/],
  ['a vertex without id', graph({ '': {} }), '/graph/nodes/', /1 to 256/],
  ['a vertex that is a text', graph({ a: 'x' }), '/graph/nodes/a', /an object/],
  ['metadata in a list', graph({ a: { metadata: [] } }), '/graph/nodes/a/metadata', /an object/],
  [
    'an edge from nowhere',
    graph(ids('a', 'b'), [contains('a', 'b'), contains('c', 'b')]),
    '/graph/edges/1/source',
    /no vertex "c"/,
  ],
  [
    'an edge into nowhere, whatever its relation',
    graph(ids('a', 'b'), [contains('a', 'b'), { ...contains('a', 'c'), relation: 'near' }]),
    '/graph/edges/1/target',
    /no vertex "c"/,
  ],
  ['an edge that is a text', graph(ids('a'), ['a']), '/graph/edges/0', /"source" and "target"/],
  ['an end that is a number', graph(ids('1'), [{ source: 1 }]), '/graph/edges/0/source', /a text/],
  [
    'two parents',
    graph(ids('a', 'b', 'c'), [contains('a', 'b'), contains('a', 'c'), contains('b', 'c')]),
    '/graph/edges/2/target',
    /two parents, "a" and "b"/,
  ],
  ['itself', graph(ids('a', 'b'), [contains('a', 'a')]), '/graph/edges/0', /contains itself/],
  [
    'a cycle and nothing else',
    graph(ids('a', 'b'), [contains('a', 'b'), contains('b', 'a')]),
    '/graph/nodes/a',
    /a cycle/,
  ],
  [
    'a cycle beside the root',
    graph(ids('r', 'a', 'b'), [contains('a', 'b'), contains('b', 'a')]),
    '/graph/nodes/a',
    /a cycle/,
  ],
  [
    'two roots',
    graph(ids('a', 'b', 'c'), [contains('a', 'b')]),
    '/graph/nodes/c',
    /2 are in none: "a", "c"/,
  ],
  ['size zero', graph({ a: { metadata: { size: 0 } } }), '/graph/nodes/a/metadata/size', /whole/],
  ['half', graph({ a: { metadata: { size: 1.5 } } }), '/graph/nodes/a/metadata/size', /whole/],
  ['2^60', graph({ a: { metadata: { size: 2 ** 60 } } }), '/graph/nodes/a/metadata/size', /whole/],
  ['"2"', graph({ a: { metadata: { size: '2' } } }), '/graph/nodes/a/metadata/size', /whole/],
  ['no type', graph({ a: { metadata: { type: '' } } }), '/graph/nodes/a/metadata/type', /1 to 64/],
  [
    'a type with a line end',
    graph({ a: { metadata: { type: 'a\nb' } } }),
    '/graph/nodes/a/metadata/type',
    /control/,
  ],
  [
    'nested attributes',
    graph({ a: { metadata: { attributes: { 'b/c~': {} } } } }),
    '/graph/nodes/a/metadata/attributes/b~1c~0',
    /a text of at most 256/,
  ],
  [
    'too many names',
    graph({
      a: { metadata: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`n${i}`, i])) },
    }),
    '/graph/nodes/a/metadata',
    /at most 64/,
  ],
  [
    'too many types',
    documentOf({
      type: 'root',
      children: Array.from({ length: 64 }, (_, i) => ({ type: `t${i}` })),
    }),
    '/graph/nodes',
    /at most 64 types/,
  ],
  ['too deep', documentOf(chain(graphDepthMax + 1)), '/graph/edges', /deeper than 16/],
  [
    'too many vertices',
    graph(Object.fromEntries(Array.from({ length: graphVerticesMax + 1 }, (_, i) => [i, {}]))),
    '/graph/nodes',
    /at most 20000 vertices/,
  ],
  [
    'too many edges',
    graph(
      ids('a'),
      Array.from({ length: graphEdgesMax + 1 }, () => contains('a', 'a')),
    ),
    '/graph/edges',
    /at most 60000 edges/,
  ],
];

test.each(malformed)('%s is no graph', (_what, document, pointer, message) => {
  const read = readClusterTree(document);
  if (read.ok) throw new Error('it was taken');
  expect(read.errors[0]!.pointer).toBe(pointer);
  expect(read.errors[0]!.message).toMatch(message);
});

test('pointers begin where the document is', () => {
  const read = readClusterTree({ graph: { nodes: {} } }, ['nodes']);
  expect(read).toMatchObject({ ok: false, errors: [{ pointer: '/nodes/graph/nodes' }] });
});

test('mistakes are named up to a number, however many there are', () => {
  const bad = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [i, 'x']));
  const read = readClusterTree(graph(bad));
  expect(read.ok ? 0 : read.errors.length).toBe(20);
});

test('what is deep enough, and edges that say the same again, are taken', () => {
  expect(readClusterTree(documentOf(chain(graphDepthMax))).ok).toBe(true);
  const twice = [contains('a', 'b'), contains('a', 'b'), { ...contains('b', 'a'), relation: 'in' }];
  expect(readClusterTree(graph(ids('a', 'b'), twice)).ok).toBe(true);
});

test('a vertex without metadata is one resource', () => {
  const digest = digestOf(graph(ids('a')));
  expect(digest.shapes).toEqual([
    { type: 'resource', size: 1, unit: '', attached: [], children: [] },
  ]);
});

test('ids and types may be named like members of any object', () => {
  const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];
  const nodes = new Map(names.map((name) => [name, { metadata: { type: name } }]));
  const edges = names.slice(1).map((name) => contains('constructor', name));
  const digest = digestOf(graph(Object.fromEntries(nodes), edges));
  expect([...digest.counts]).toEqual([...names].sort().map((name) => [name, 1]));
});
