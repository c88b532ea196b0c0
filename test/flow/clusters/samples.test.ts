import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readSample, samples } from '../../read-sample.ts';
import { runClient } from '../cli/client.ts';
import { makeProduct, type Product } from '../product.ts';
import { type Ask, askOf, type Said } from './cluster-program.ts';
import { describe, equalNodes, type ProcessCluster, processCluster } from './process-cluster.ts';

/**
 * Every document of the directory of samples: what can run runs, what cannot is refused with the
 * sentence that says why. A document that is added without a word here fails.
 */
let product: Product;
let ask: Ask;
let admin: string;
let mummi: ProcessCluster;
/** What a test has looked at. */
const seen = new Set<string>();

const cli = (...words: string[]) => runClient(product.place.directory, ...words);
const read = (path: string): string => {
  seen.add(path);
  return readSample(path);
};

beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  ask = askOf(product);
  admin = product.place.endpoints()!.token!;
  mummi = processCluster(product, 'mummi', 'mummi');
  mummi.start();
  await register('keebler', 'bakery', JSON.parse(read('rainbow/scheduler/cluster-nodes.json')));
  await register('blue', 'colours', equalNodes(1, { core: 10 }));
  await register('pink', 'colours', equalNodes(1, { core: 8 }));
  await product.untilConnected(1);
  await describe(product, 'mummi', equalNodes(8, { gpu: 2, core: 10 }));
  await attach('mummi', 'spack', { package: { type: 'package', attributes: { name: 'openssl' } } });
  await attach('mummi', 'system', { cpu: { type: 'cpu', 'cpu.target': 'amd64' } });
}, 240_000);
afterAll(() => product.remove());

async function register(name: string, pool: string, nodes: object): Promise<void> {
  const body = { name, pool, mode: 'pull', nodes };
  const { status, json } = await ask(admin, 'POST', '/v1/edges', body);
  expect(status, JSON.stringify(json)).toBe(201);
}

async function attach(edge: string, subsystem: string, vertices: Record<string, object>) {
  const nodes: Record<string, object> = { root: { metadata: { type: subsystem } } };
  const edges: object[] = [];
  for (const [id, metadata] of Object.entries(vertices)) {
    nodes[id] = { metadata };
    edges.push({ source: 'c', target: id, relation: 'contains' });
    edges.push({ source: 'root', target: id, relation: 'contains' });
  }
  const path = `/v1/edges/${edge}/subsystems/${subsystem}`;
  const { status, json } = await ask(admin, 'PUT', path, { graph: { nodes, edges } });
  expect(status, JSON.stringify(json)).toBe(201);
}

/** As the text that it is. */
const submit = (path: string, pool: string, more: object = {}): Promise<Said> =>
  ask(admin, 'POST', `/v1/jobspecs?pool=${pool}`, { jobspec: read(path), ...more });
const satisfy = async (path: string, pool: string): Promise<Said['json']> =>
  (await ask(admin, 'POST', `/v1/jobspecs/satisfy?pool=${pool}`, { jobspec: read(path) })).json;

/** Runs to its end on the cluster that has everything. */
async function done(path: string) {
  const { status, json } = await submit(path, 'mummi');
  expect([status, json.cluster], JSON.stringify(json)).toEqual([202, 'mummi']);
  for (const { job } of json.jobs) await product.done(job.id, 120_000);
  const found = (await ask(admin, 'GET', `/v1/jobspecs/${json.id}`)).json;
  expect(found).toMatchObject({ text: readSample(path), status: { state: 'done', percent: 100 } });
  const jobs = await Promise.all(
    json.jobs.map(({ job }: { job: { id: string } }) => job.id).map(product.job),
  );
  return { found, jobs };
}

const calls = (program: string): string[] =>
  readFileSync(mummi.calls, 'utf8')
    .trim()
    .split('\n')
    .filter((it) => it.startsWith(program));

/** 400, with what is said at each place. */
async function refused(path: string, pool = 'mummi'): Promise<Record<string, string>> {
  const { status, json } = await submit(path, pool);
  expect([status, json.code], JSON.stringify(json)).toEqual([400, 'invalid-request']);
  const errors: { pointer: string; message: string }[] = json.errors;
  return Object.fromEntries(errors.map(({ pointer, message }) => [pointer, message]));
}

const nextGen = 'jobspec-nextgen/';

test('the hello world runs where the processor is the one that is asked for', async () => {
  const path = `${nextGen}hello-world-jobspec.yaml`;
  await done(path);
  const { satisfied, clusters } = await satisfy(path, 'colours');
  expect([satisfied, clusters[0].reason]).toEqual([false, 'subsystem-missing']);
}, 150_000);

test('who depends on another begins after its end', async () => {
  const { jobs } = await done(`${nextGen}depends_on/jobspec.yaml`);
  const [first, second] = jobs.map(({ status }) => status);
  expect(Date.parse(second!.startedAt!)).toBeGreaterThanOrEqual(Date.parse(first!.endedAt!));
}, 150_000);

test('a group in the place of a task, and a group within a group', async () => {
  const beside = await done(`${nextGen}task-with-group.yaml`);
  expect(beside.found.groups).toMatchObject([{ group: 'task-2', parent: null, edge: 'mummi' }]);
  const nested = await done(`${nextGen}group-with-group.yaml`);
  expect(nested.found.groups).toMatchObject([
    { group: 'group-1', parent: null, state: 'done', resources: { node: 1 } },
    { group: 'group-1/group-2', parent: 'group-1', state: 'done', resources: { node: 1 } },
  ]);
  expect(calls('bash -c echo Starting task 1 in group').length).toBe(2);
}, 150_000);

test('machine learning: a group over eight nodes, training in a part of it, twenty tests', async () => {
  const path = `${nextGen}machine-learning.yaml`;
  const { found, jobs } = await done(path);
  expect(found.groups).toMatchObject([
    { group: 'mini-mummi', resources: { node: 8, gpu: 16, core: 32 } },
    { group: 'mini-mummi/train', parent: 'mini-mummi', resources: { node: 2, gpu: 2 } },
  ]);
  expect(jobs[0]!.spec.resources).toEqual({ nodes: 8, gpus: 16, cores: 32 });
  expect(calls('bash -c echo Running machine learning test').length).toBe(20);
  expect(calls('bash -c echo running machine learning train').length).toBe(1);
  const { status, json } = await submit(path, 'colours');
  expect([status, json.code]).toEqual([422, 'unsatisfiable']);
}, 150_000);

test('software of the cluster: who has openssl has what one asks for, nobody has lammps', async () => {
  const has = `${nextGen}subsystems/jobspec-spack-subystem-satisfied.yaml`;
  const hasNot = `${nextGen}subsystems/jobspec-spack-subystem-unsatisfied.yaml`;
  await done(has);
  const { status, json } = await submit(hasNot, 'mummi');
  expect([status, json.code]).toEqual([422, 'unsatisfiable']);
  expect((await satisfy(hasNot, 'mummi')).clusters).toMatchObject([
    { name: 'mummi', reason: 'requirement-not-met', at: '/requires/spack-software/0' },
  ]);
}, 150_000);

test('software of the user: other modules than the one that is asked for', async () => {
  const folder = join(product.place.directory, 'subsystems');
  mkdirSync(folder);
  const modules = read(`${nextGen}subsystems/module-subsystem.json`);
  writeFileSync(join(folder, 'module-subsystem.json'), modules);
  const file = join(samples, nextGen, 'subsystems/jobspec-spack-subystem-satisfied.yaml');
  const asked = await cli('jobspec', 'satisfy', file, '--subsystem-dir', folder);
  expect(asked.code, asked.err).toBe(7);
  expect(asked.out).toMatch(/^task-1 NOT OK: .*subsystem spack/);
});

test('build with spack before it is run: on blue, which has ten cores, and not on pink', async () => {
  const path = 'spack-experiment/jobspec-spack.yaml';
  expect((await satisfy(path, 'colours')).totals).toEqual({
    clusters: 2,
    matches: 1,
    mismatches: 1,
  });
  const { status, json } = await submit(path, 'colours');
  expect([status, json.cluster]).toEqual([202, 'blue']);
  const only = await submit(path, 'colours', { clusters: ['pink'] });
  expect([only.status, only.json.errors]).toEqual([
    422,
    [{ pointer: '/clusters/pink', message: 'not-enough-core: 10 of core needed, 8 there' }],
  ]);
  await done(path);
  expect(calls('spack')).toEqual(['spack install ior', 'spack load ior']);
  expect(calls('ior')).toEqual(['ior -b 10g -O summaryFormat=json']);
}, 150_000);

test('a range of versions, and what else is attached to the nodes', async () => {
  const range = 'rainbow/range/';
  const spack = JSON.parse(read(`${range}spack-subsystem.json`));
  const path = '/v1/edges/keebler/subsystems/spack';
  expect((await ask(admin, 'PUT', path, spack)).status).toBe(201);
  expect((await submit(`${range}jobspec-valid-range.yaml`, 'bakery')).json.cluster).toBe('keebler');
  const { status, json } = await submit(`${range}jobspec-invalid-range.yaml`, 'bakery');
  expect([status, json.errors[0].message]).toEqual([
    422,
    expect.stringMatching(/^requirement-not-met: .*0\.5\.2/),
  ]);
});

test('the constraint of the selection, with the state that goes with it', async () => {
  const at = 'rainbow/scheduler/';
  const state = JSON.parse(read(`${at}cluster-state.json`));
  expect((await ask(admin, 'PUT', '/v1/edges/keebler/state', state)).status).toBe(200);
  const config = parse(read(`${at}rainbow-selection-config.yaml`));
  const { name: algorithm, options } = config.scheduler.algorithms.selection;
  const select = { algorithm, priorities: options.priorities };
  const chosen = await submit(`${at}jobspec-constraint.yaml`, 'bakery', { select });
  expect([chosen.status, chosen.json.selection], JSON.stringify(chosen.json)).toMatchObject([
    202,
    { algorithm: 'constraint', priority: 1, cluster: 'keebler' },
  ]);
  await ask(admin, 'PUT', '/v1/edges/keebler/state', { nodes_free: 0 });
  const none = await submit(`${at}jobspec-constraint.yaml`, 'bakery', { select });
  expect([none.status, none.json.code, none.json.errors[0]]).toEqual([
    422,
    'no-cluster-selected',
    { pointer: '/clusters/keebler', message: 'priority 1: nodes_free is 0' },
  ]);
});

test('a misspelt field is refused; spelt right it needs the subsystem that it asks for', async () => {
  const path = 'rainbow/scheduler/jobspec-io.yaml';
  expect(Object.keys(await refused(path))).toContain('/task');
  const { task, ...rest } = parse(readSample(path));
  const body = { jobspec: { ...rest, tasks: [{ ...task, resources: 'ior' }] } };
  const again = () => ask(admin, 'POST', '/v1/jobspecs/satisfy?pool=bakery', body);
  expect((await again()).json).toMatchObject({ satisfied: false });
  const io = JSON.parse(read('rainbow/scheduler/cluster-io-subsystem.json'));
  await ask(admin, 'PUT', '/v1/edges/keebler/subsystems/io', io);
  expect((await again()).json).toMatchObject({ satisfied: true });
});

test('what is missing is named: resources, groups, a list of requirements', async () => {
  const missing = await refused('jobspec-nextgen-go/example1-jobspec.yaml');
  expect(missing).toMatchObject({
    '/tasks/0/resources': expect.stringContaining('"common"'),
    '/tasks/1/group': expect.stringContaining('"group-1"'),
  });
  const flux = await refused(`${nextGen}flux/jobspec.yaml`);
  expect(Object.keys(flux)).toEqual(['/resources/single-node/requires']);
});

test('the format before the next generation is named as what it is', async () => {
  const folder = 'spack-experiment/older-jobspecs/';
  for (const name of readdirSync(join(samples, folder))) {
    const said = Object.values(await refused(`${folder}${name}`));
    expect(said, name).toContainEqual(expect.stringContaining('format before the next generation'));
  }
});

test('the tasks of go-schedule: as many jobs, none before all are read', async () => {
  const path = 'go-schedule/tasks.yaml';
  const tasks = parse(read(path)).tasks;
  const words = ['submit', '--file', join(samples, path), '--pool', 'mummi'];
  const { code, out, err } = await cli(...words);
  expect(code, err).toBe(0);
  const ids = out.trim().split('\n');
  expect(ids.length).toBe(tasks.length);
  for (const id of ids) await product.done(id);
  expect(calls('sleep 30').length).toBe(tasks.length);
}, 150_000);

test('workloads of RIK become services; its functions and what is no JSON are refused', async () => {
  const create = (name: string) => {
    seen.add(`rik/${name}`);
    return cli('service', 'create', '--pool', 'mummi', '--file', join(samples, 'rik', name));
  };
  const { code, out, err } = await create('workload-1.json');
  expect(code, err).toBe(0);
  expect((await product.job(out.trim())).spec.kind).toBe('service');
  for (const name of ['workload-2.json', 'workload-3.json']) {
    const pod = await create(name);
    expect(pod.code, pod.err).toBe(0);
    const { run } = (await product.job(pod.out.trim())).spec;
    expect(run.pod?.containers.map((it) => it.name)).toEqual(['ubuntu', 'alpine']);
  }
  const vm = await create('workload-function.json');
  expect([vm.code, vm.err]).toEqual([8, expect.stringContaining('runs virtual machines')]);
  const none = await create('schema-v1.json');
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('There is no field')]);
});

test('there is no document that nobody has read', () => {
  const all = readdirSync(samples, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile() && it.name !== 'README.md')
    .map((it) => join(it.parentPath, it.name).slice(samples.length));
  expect(all.filter((path) => !seen.has(path))).toEqual([]);
});
