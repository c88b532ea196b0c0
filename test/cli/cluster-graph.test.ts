import { expect, test } from 'vitest';
import { graphOf, nodesOfFlux, nodesOfSinfo } from '../../cli/cluster/cluster-graph.ts';
import { digestOf } from '../core/graph/graph-fixture.ts';

/** Graphs made of what Slurm and Flux say. */

test('lines of sinfo are nodes, each once', () => {
  const text =
    'n1 4 gpu:a100:2,shard:8\nn2 8 (null)\nn1 4 gpu:a100:2,shard:8\n\nNODELIST CPUS GRES\n';
  expect(nodesOfSinfo(text)).toEqual([
    { name: 'n1', cores: 4, gpus: 2 },
    { name: 'n2', cores: 8, gpus: 0 },
  ]);
  expect(nodesOfSinfo('n3 2 gpu:4(S:0-1)')).toEqual([{ name: 'n3', cores: 2, gpus: 4 }]);
});

test('ranks of R are nodes by the names of their hosts', () => {
  const R_lite = [
    { rank: '0-1', children: { core: '0-3' } },
    { rank: '3', children: { core: '0-7', gpu: '0,1' } },
  ];
  const document = { version: 1, execution: { R_lite, nodelist: ['node[08-10]', 'big'] } };
  expect(nodesOfFlux(document)).toEqual([
    { name: 'node08', cores: 4, gpus: 0 },
    { name: 'node09', cores: 4, gpus: 0 },
    { name: 'big', cores: 8, gpus: 2 },
  ]);
});

test.each([[null], [{}], [{ execution: { R_lite: 'x' } }], [{ execution: { R_lite: [1, {}] } }]])(
  'of what makes no sense there are no nodes: %j',
  (document) => {
    expect(nodesOfFlux(document)).toEqual([]);
  },
);

test('the graph is one that a cluster can register', () => {
  const nodes = [
    { name: 'n1', cores: 4, gpus: 2 },
    { name: 'n2', cores: 8, gpus: 0 },
  ];
  const { counts } = digestOf(graphOf('lab', nodes));
  expect(Object.fromEntries(counts)).toEqual({ cluster: 1, node: 2, core: 12, gpu: 2 });
});
