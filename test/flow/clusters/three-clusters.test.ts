import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SubmissionAnswer } from '../../../core/contract/jobspec/jobspec-answer.ts';
import { askApi } from '../start/stage.ts';
import { node, ThreeClusters } from './three-stage.ts';

/**
 * Each jobspec fits exactly one of three clusters, and what it asks for happens there. The part of
 * Slurm says why where it cannot be had.
 */
let three: ThreeClusters;
beforeAll(async () => {
  three = await ThreeClusters.start();
}, 360_000);
afterAll(() => three.remove());

const at = (name: string): string => three.at(name);
const cli = (...words: string[]) => three.cli(...words);
const counting = (file: string): string => three.counting(file);

async function submit(name: string, jobspec: object, ...more: string[]): Promise<SubmissionAnswer> {
  const file = three.document(`${name}-flow.json`, { version: 1, name, ...jobspec });
  const words = ['jobspec', 'submit', file, '--pool', 'hpc', '-o', 'json', '--wait', ...more];
  const { code, out, err } = await cli(...words, '--timeout', '120s');
  expect(code, code === 0 ? '' : `${err}\n${out}\n${await whyNot()}`).toBe(0);
  said = err;
  return JSON.parse(out);
}
/** What the clusters are, and what the programs said. */
async function whyNot(): Promise<string> {
  const edges = await cli('edge', 'list', '-o', 'json');
  return `${edges.out}\n${three.text()}`;
}

/** What the last submit said beside its answer. */
let said: string;

test('software that only one has: staged files, replicas, one after another, a choice', async () => {
  writeFileSync(at('mesh.txt'), 'a mesh\n');
  const requires = [{ name: 'spack', field: 'version', min: '0.5.1', max: '0.5.9' }];
  const save = `cat "$EDGEWISE_STAGE/mesh.txt" > "${at('built')}"`;
  const script = `cat "${at('built')}"; echo run $EDGEWISE_CHUNK of $EDGEWISE_CHUNKS`;
  const found = await submit('spack', {
    resources: { large: node(64), ior: node(1, { requires }) },
    tasks: [
      {
        name: 'build',
        resources: 'large|ior',
        command: ['sh', '-c', save],
        steps: [{ name: 'stage', path: './mesh.txt' }],
      },
      {
        name: 'ior',
        resources: 'ior',
        depends_on: ['build'],
        replicas: 3,
        command: ['sh', '-c', script],
        attributes: { duration: '60s', watch: true },
      },
    ],
  });
  expect(found).toMatchObject({ cluster: 'box', status: { state: 'done', percent: 100 } });
  const job = await three.product.job(found.jobs[1]!.job);
  expect(job.status.executions?.map(({ edge }) => edge)).toEqual(['box']);
  expect(readFileSync(at('built'), 'utf8')).toBe('a mesh\n');
  for (const run of [0, 1, 2]) {
    const { out } = await cli('logs', job.id, String(run));
    expect(out).toBe(`a mesh\nrun ${run} of 3\n`);
  }
}, 180_000);

test('a group on processes never holds more than its allocation', async () => {
  const requires = [{ name: 'spack', field: 'version' }];
  const found = await submit('groups', {
    resources: { room: node(2, { requires }), part: node(1) },
    groups: [
      {
        name: 'all',
        resources: 'room',
        tasks: [
          { name: 'count', resources: 'part', replicas: 5, command: counting('box.count') },
          { group: 'inner', depends_on: ['count'] },
        ],
        groups: [
          {
            name: 'inner',
            resources: 'part',
            tasks: [{ name: 'last', command: counting('inner.count') }],
          },
        ],
      },
    ],
  });
  expect([found.cluster, found.status.state]).toEqual(['box', 'done']);
  expect(found.groups.map(({ group }) => group)).toEqual(['all', 'all/inner']);
  expect(three.mostAtOnce('box.count')).toEqual({ most: 2, runs: 5 });
  expect(three.mostAtOnce('inner.count')).toEqual({ most: 1, runs: 1 });
}, 180_000);

test('accelerators that only one has: it takes its work by itself, and keeps its output', async () => {
  const gpu = node(1, { with: [{ type: 'gpu', count: 1 }] });
  const found = await submit('train', {
    attributes: { watch: true },
    resources: { gpu },
    tasks: [
      { name: 'train', resources: 'gpu', replicas: 4, command: 'echo trained' },
      { name: 'test', resources: 'gpu', depends_on: ['train'], command: 'echo tested' },
    ],
  });
  expect([found.cluster, found.status.state]).toEqual(['keebler', 'done']);
  const shown = said.split('\n').filter((line) => line.startsWith('['));
  const trained = [0, 1, 2, 3].map((run) => `[train ${run}] trained`);
  expect(shown.sort()).toEqual(['[test] tested', ...trained]);
  const { spec, status } = await three.product.job(found.jobs[0]!.job);
  expect(spec.resources).toEqual({ nodes: 1, gpus: 1 });
  expect(status.executions?.map(({ edge }) => edge)).toEqual(['keebler']);
  expect((await cli('logs', found.jobs[0]!.job, '3')).out).toBe('trained\n');
  expect((await cli('logs', found.jobs[1]!.job, '0')).out).toBe('tested\n');
  const edge = await cli('edge', 'get', 'keebler', '-o', 'json');
  expect(JSON.parse(edge.out).capacity).toEqual({ power: 4, cores: 4, gpus: 2, nodes: 1 });
}, 180_000);

test('two nodes that only Slurm has: a group is one batch job over both', async (it) => {
  if (three.noSlurm !== null) {
    console.log(`skipped: ${three.noSlurm}`);
    it.skip(three.noSlurm);
  }
  const room = { type: 'node', count: 2, with: [{ type: 'core', count: 2 }] };
  const found = await submit('slurm', {
    resources: { room, part: node(1) },
    groups: [
      {
        name: 'both',
        resources: 'room',
        tasks: [
          { name: 'count', resources: 'part', replicas: 6, command: counting('tower.count') },
          { name: 'where', local: true, command: `hostname > "${at('where')}"` },
        ],
      },
    ],
  });
  expect([found.cluster, found.status.state]).toEqual(['tower', 'done']);
  const { most, runs } = three.mostAtOnce('tower.count');
  expect(runs).toBe(6);
  expect(most).toBeLessThanOrEqual(4);
}, 180_000);

test('of those that match the cheapest by its own figures is chosen', async () => {
  const figures = 'nodes_free=4 memory_per_node=200';
  const say = (name: string, cost: number) =>
    cli('cluster', 'state', name, ...figures.split(' '), `cost_per_node_hour=${cost}`);
  await say('box', 3);
  await say('keebler', 1);
  const filter = { filter: 'nodes_free > 0' };
  const cost = (memory: string) => ({
    calc: `build_cost=(cost_per_node_hour * (${memory} * seconds_per_gb)/60/60)`,
  });
  const cheapest = [{ sort_ascending: 'build_cost' }, { select: 'first' }];
  const least = { calc: 'memory_min=min(100, memory_per_node - 100)' };
  const priorities = three.document('priorities.json', [
    { priority: 1, steps: [filter, cost('memory_per_node'), ...cheapest] },
    { priority: 2, steps: [filter, least, cost('memory_min'), ...cheapest] },
  ]);
  const jobspec = {
    resources: { one: node(1) },
    tasks: [{ name: 'build', resources: 'one', command: ['true'] }],
    attributes: { parameter: { seconds_per_gb: 0.4 } },
  };
  const choose = async (name: string) => submit(name, jobspec, '--priorities', priorities);
  expect((await choose('first')).cluster).toBe('keebler');
  await say('box', 0.5);
  const second = await choose('second');
  expect(second.cluster).toBe('box');
  await say('box', 9);
  const path = `/v1/jobspecs/${second.id}/explain`;
  const again = await askApi<{ selection: { cluster: string } }>(three.product.place, path, {
    method: 'POST',
  });
  expect(again.selection.cluster).toBe('keebler');
}, 180_000);
