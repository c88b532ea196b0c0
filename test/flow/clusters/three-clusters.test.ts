import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SubmissionAnswer } from '../../../core/contract/jobspec/jobspec-answer.ts';
import { type Client, runClient, startClient } from '../cli/client.ts';
import { makeProduct, type Product } from '../product.ts';
import { askApi } from '../start/stage.ts';

/**
 * Three clusters of one pool: an agent over processes, one over a Slurm of two nodes, and one that
 * takes its work by itself over HTTPS. Each jobspec fits exactly one of them. Where Slurm cannot be
 * had, its part says why.
 */
const slurmScript = fileURLToPath(new URL('../../edge-agent/slurm/one-host.sh', import.meta.url));
let product: Product;
let programs: Client[];
let noSlurm: string | null;
/** Its configuration takes no path with a blank. */
let slurmDirectory: string;

const at = (name: string): string => join(product.place.directory, name);
const cli = (...words: string[]) => runClient(product.place.directory, ...words);

beforeAll(async () => {
  product = await makeProduct();
  programs = [];
  slurmDirectory = mkdtempSync('/tmp/edgewise-slurm-');
  noSlurm = startSlurm();
  await product.startCloud();
  product.startAgent('box', '--quiet', '--executor', 'process', '--pool', 'hpc');
  const pull = ['--nodes', document('keebler.json', graphOf(1, 4, 2)), '--mode', 'pull', '--save'];
  const registered = await cli('cluster', 'register', 'keebler', '--pool', 'hpc', ...pull);
  expect(registered, registered.err).toMatchObject({ code: 0 });
  const receive = ['cluster', 'receive', 'keebler', '--run', '--executor', 'process'];
  const where = ['--max', '20', '--every', '1s', '--context', 'keebler', '--data', at('receiver')];
  programs.push(startClient(product.place.directory, [...receive, ...where]));
  if (noSlurm === null) startTower();
  await product.untilConnected(noSlurm === null ? 3 : 2);
  const box = document('box.json', graphOf(1, 2, 0));
  expect(await cli('cluster', 'nodes', 'box', '--file', box)).toMatchObject({ code: 0 });
  const spack = { name: 'ior', version: '0.5.3' };
  const set = ['cluster', 'subsystem', 'set', 'box', 'spack', subsystem('spack', 'package', spack)];
  expect(await cli(...set)).toMatchObject({ code: 0 });
  if (noSlurm === null) await describeTower();
}, 360_000);

afterAll(async () => {
  for (const { process } of programs) process.kill('SIGTERM');
  await Promise.all(programs.map(({ ended }) => ended));
  spawnSync(slurmScript, ['stop', slurmDirectory]);
  rmSync(slurmDirectory, { recursive: true, force: true });
  await product.remove();
});

function startSlurm(): string | null {
  chmodSync(slurmDirectory, 0o755);
  const port = String(30_000 + (process.pid % 10_000));
  const env = { ...process.env, SLURM_PORT: port, SLURM_NODES: '2', SLURM_CPUS: '2' };
  const started = spawnSync(slurmScript, ['start', slurmDirectory], { encoding: 'utf8', env });
  return started.status === 0 ? null : started.stdout.trim() || started.stderr.trim();
}

const slurmEnv = () => ({ SLURM_CONF: join(slurmDirectory, 'slurm.conf') });

function startTower(): void {
  const words = ['agent', '--name', 'tower', '--pool', 'hpc', '--quiet', '--executor', 'slurm'];
  const data = ['--data', at('tower'), '--transport', 'http'];
  programs.push(startClient(product.place.directory, [...words, ...data], slurmEnv()));
}

/** As Slurm itself says what it has. */
async function describeTower(): Promise<void> {
  const env = { ...process.env, ...slurmEnv() };
  const sinfo = spawnSync('sinfo', ['-h', '-N', '-o', '%N %c %G'], { encoding: 'utf8', env });
  writeFileSync(at('sinfo.txt'), sinfo.stdout);
  const words = ['cluster', 'describe', '--name', 'tower', '--sinfo', at('sinfo.txt')];
  writeFileSync(at('tower.json'), (await cli(...words)).out);
  const sent = await cli('cluster', 'nodes', 'tower', '--file', at('tower.json'));
  expect(sent, sent.err).toMatchObject({ code: 0 });
  for (const resource of [
    ['--resource', 'cores=4'],
    ['--resource', 'nodes=2'],
  ]) {
    expect(await cli('edge', 'set', 'tower', ...resource)).toMatchObject({ code: 0 });
  }
}

function document(name: string, content: object): string {
  writeFileSync(at(name), JSON.stringify(content));
  return at(name);
}

function graphOf(nodes: number, cores: number, gpus: number) {
  const vertices: Record<string, object> = { c: { metadata: { type: 'cluster' } } };
  const edges: object[] = [];
  const add = (id: string, parent: string, type: string, size: number) => {
    if (size === 0) return;
    vertices[id] = { metadata: { type, size } };
    edges.push({ source: parent, target: id, relation: 'contains' });
  };
  for (let node = 0; node < nodes; node++) {
    add(`n${node}`, 'c', 'node', 1);
    add(`c${node}`, `n${node}`, 'core', cores);
    add(`g${node}`, `n${node}`, 'gpu', gpus);
  }
  return { graph: { nodes: vertices, edges } };
}

function subsystem(name: string, type: string, said: object): string {
  const nodes = { root: { metadata: { type: name } }, it: { metadata: { type, ...said } } };
  const edges = [{ source: 'n0', target: 'it', relation: 'contains' }];
  return document(`${name}.json`, { graph: { nodes, edges } });
}

const node = (cores: number, more: object = {}) => ({
  type: 'node',
  count: 1,
  with: [{ type: 'core', count: cores }],
  ...more,
});

async function submit(name: string, jobspec: object, ...more: string[]): Promise<SubmissionAnswer> {
  const file = document(`${name}-flow.json`, { version: 1, name, ...jobspec });
  const words = ['jobspec', 'submit', file, '--pool', 'hpc', '-o', 'json', '--wait', ...more];
  const { code, out, err } = await cli(...words, '--timeout', '120s');
  expect(code, code === 0 ? '' : `${err}\n${out}\n${await whyNot()}`).toBe(0);
  said = err;
  return JSON.parse(out);
}
/** What the clusters are, and what the programs said. */
async function whyNot(): Promise<string> {
  const edges = await cli('edge', 'list', '-o', 'json');
  return [edges.out, ...programs.map((program) => program.text())].join('\n');
}

/** What the last submit said beside its answer. */
let said: string;

/** Every run says when it begins and ends; so many were there at once at most. */
const counting = (file: string) => `echo + >> "${at(file)}"; sleep 0.5; echo - >> "${at(file)}"`;
function mostAtOnce(file: string): { most: number; runs: number } {
  let [now, most, runs] = [0, 0, 0];
  for (const line of readFileSync(at(file), 'utf8').trim().split('\n')) {
    now += line === '+' ? 1 : -1;
    if (line === '+') runs += 1;
    most = Math.max(most, now);
  }
  return { most, runs };
}

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
  const job = await product.job(found.jobs[1]!.job);
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
  expect(mostAtOnce('box.count')).toEqual({ most: 2, runs: 5 });
  expect(mostAtOnce('inner.count')).toEqual({ most: 1, runs: 1 });
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
  const { spec, status } = await product.job(found.jobs[0]!.job);
  expect(spec.resources).toEqual({ nodes: 1, gpus: 1 });
  expect(status.executions?.map(({ edge }) => edge)).toEqual(['keebler']);
  expect((await cli('logs', found.jobs[0]!.job, '3')).out).toBe('trained\n');
  expect((await cli('logs', found.jobs[1]!.job, '0')).out).toBe('tested\n');
  const edge = await cli('edge', 'get', 'keebler', '-o', 'json');
  expect(JSON.parse(edge.out).capacity).toEqual({ power: 4, cores: 4, gpus: 2, nodes: 1 });
}, 180_000);

test('two nodes that only Slurm has: a group is one batch job over both', async (it) => {
  if (noSlurm !== null) {
    console.log(`skipped: ${noSlurm}`);
    it.skip(noSlurm);
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
  const { most, runs } = mostAtOnce('tower.count');
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
  const priorities = document('priorities.json', [
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
  const again = await askApi<{ selection: { cluster: string } }>(product.place, path, {
    method: 'POST',
  });
  expect(again.selection.cluster).toBe('keebler');
}, 180_000);
