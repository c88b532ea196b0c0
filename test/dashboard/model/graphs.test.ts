import { expect, test } from 'vitest';
import { graphDepthMax } from '../../../core/graph/limits.ts';
import { treeLevelsMax } from '../../../dashboard/limits.ts';
import { treeLines } from '../../../dashboard/model/graph-tree.ts';
import { layOut } from '../../../dashboard/model/task-graph.ts';
import { sample } from '../../core/graph/graph-fixture.ts';

test('a graph is a tree of types with their numbers', () => {
  const lines = treeLines(sample('cluster-nodes') as Parameters<typeof treeLines>[0]);
  const words = (all: typeof lines): unknown[] =>
    all.map(({ type, count, children }) => [`${count} ${type}`, words(children)]);
  const cores = ['36 core', []];
  const sockets = ['3 socket', [cores]];
  expect(words(lines)).toEqual([['1 cluster', [['1 rack', [['3 node', [sockets]]]]]]]);
});

test('every graph that is accepted is drawn to its last level', () => {
  expect(treeLevelsMax).toBe(graphDepthMax);
});

test('what is no graph is an empty tree, and a circle ends', () => {
  expect(treeLines({})).toEqual([]);
  const nodes = { a: {}, b: {}, c: {} };
  const edges = [
    { source: 'a', target: 'b' },
    { source: 'b', target: 'c' },
    { source: 'c', target: 'b' },
    { source: 'c', target: 'gone' },
  ];
  const [line] = treeLines({ graph: { nodes, edges } });
  expect([line?.type, line?.count]).toEqual(['resource', 1]);
});

test('what has two parents is counted once, however often that is', () => {
  const layers = Array.from({ length: 12 }, (_, layer) =>
    [0, 1, 2, 3].map((at) => `${layer}.${at}`),
  );
  const edges = layers
    .slice(1)
    .flatMap((layer, at) =>
      layer.flatMap((target) => layers[at]!.map((source) => ({ source, target }))),
    );
  const nodes = Object.fromEntries(layers.flat().map((id) => [id, {}]));
  const counts: number[] = [];
  for (let lines = treeLines({ graph: { nodes, edges } }); lines[0]; lines = lines[0].children) {
    counts.push(lines[0].count);
  }
  expect(counts).toEqual(layers.map(() => 4));
});

test('each task is drawn to the right of all that it waits for', () => {
  const task = (name: string, group: string | null = null) =>
    ({ name, group, kind: 'task', state: 'done' }) as const;
  const nodes = [
    task('a'),
    task('b'),
    { ...task('g'), kind: 'group' as const },
    task('g/x', 'g'),
    task('g/y', 'g'),
  ];
  const edges = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'g' },
    { from: 'g/x', to: 'g/y' },
    { from: 'gone', to: 'a' },
  ];
  const found = layOut({ nodes, edges });
  const columns = found.nodes.map(({ name, column }) => [name, column]);
  expect(columns).toEqual([
    ['a', 0],
    ['b', 1],
    ['g', 2],
    ['g/x', 3],
    ['g/y', 4],
  ]);
  const lines = found.edges.map(({ from, to, inside }) => [from.name, to.name, inside]);
  expect(lines).toEqual([
    ['a', 'b', false],
    ['b', 'g', false],
    ['g/x', 'g/y', false],
    ['g', 'g/x', true],
  ]);
  expect([found.columns, found.rows]).toEqual([5, 1]);
});

test('circles among many cost no more than the graph has lines', () => {
  const nodes = Array.from({ length: 60 }, (_, at) => {
    return { name: `t${at}`, group: null, kind: 'task', state: 'done' } as const;
  });
  const edges = nodes.flatMap((from) => nodes.map((to) => ({ from: from.name, to: to.name })));
  const found = layOut({ nodes, edges });
  expect([found.nodes.length, found.edges.length]).toEqual([60, 3_600]);
});
