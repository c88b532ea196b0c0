import { beforeEach, expect, test } from 'vitest';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';
import { makeToken } from '../working-edge.ts';

let api: ApiStage;
beforeEach(() => {
  api = createApiStage(createMemoryStores());
});

/** A host that is connected, with what it says of itself. */
async function host(name: string, capacity: object, facts: object = {}, pool = 'default') {
  const body = { name, pool, capacity: { power: 250, ...capacity }, facts };
  const { status, text, json } = await api.request('POST', '/v1/edges', { body });
  expect(status, text).toBe(201);
  const report = { b: 'boot', e: 99, n: 1, f: 250, w: {} };
  const path = `/v1/edges/${name}/report`;
  await api.request('POST', path, { token: json.secret, body: report });
  await api.settle();
}

const cores = (count: number) => ({ type: 'node', with: [{ type: 'core', count }] });
const spack = `version: 1 # as it was sent
resources:
  spack-resources:
    count: 1
    type: node
    with: [{ count: 10, type: core }]
tasks:
- name: build
  command: ["spack", "install", "ior"]
  resources: spack-resources
- name: ior
  depends_on: ["build"]
  resources: spack-resources
  command: [bash, -c, "spack load ior"]
`;
const submit = (raw: string | object, query = '', headers = {}) =>
  api.request('POST', `/v1/jobspecs${query}`, {
    raw: typeof raw === 'string' ? raw : JSON.stringify(raw),
    headers: { 'content-type': 'application/yaml', ...headers },
  });

test('a jobspec is kept as it was sent, and what waits for each other is on one host', async () => {
  await host('small', { cores: 8 });
  await host('large', { cores: 10 });
  const { status, json, headers } = await submit(spack);
  expect(status).toBe(202);
  expect(headers.location).toBe(`/v1/jobspecs/${json.id}`);
  expect(json).toMatchObject({
    cluster: 'default',
    totals: { clusters: 1, matches: 1, mismatches: 0 },
    selection: { algorithm: 'freest', cluster: 'default', candidates: 1, excluded: [] },
  });
  for (const { job } of json.jobs) expect(job.spec.requires.edges).toEqual(['large']);
  const found = await api.request('GET', `/v1/jobspecs/${json.id}`);
  expect(found.json.text).toBe(spack);
  expect(found.json.jobspec.tasks.length).toBe(2);
  expect(found.json.jobs).toMatchObject([
    { task: 'build', group: null, dependsOn: [] },
    { task: 'ior', group: null, dependsOn: ['build'], state: 'waiting' },
  ]);
});

test('together on a pool: each where it finds a place', async () => {
  await host('one', { cores: 10 });
  const { json } = await submit({ jobspec: spack, together: 'pool' });
  expect(json.jobs[0].job.spec.requires.edges).toEqual([]);
});

test('what nobody has is refused with what each says, and nothing is stored', async () => {
  await host('small', { cores: 8 });
  const { status, json } = await submit(spack);
  expect(status).toBe(422);
  expect(json).toMatchObject({
    code: 'unsatisfiable',
    errors: [
      { pointer: '/clusters/default', message: 'not-enough-core: 10 of core needed, 8 there' },
    ],
  });
  expect((await api.request('GET', '/v1/jobspecs')).json.items).toEqual([]);
  expect((await api.request('GET', '/v1/jobs')).json.items).toEqual([]);
  const waiting = await submit(spack, '?unsatisfied=wait');
  expect([waiting.status, waiting.json.cluster]).toEqual([202, null]);
});

test('a pool without hosts may get some: what is for it waits', async () => {
  const { status, json } = await submit(spack);
  expect([status, json.cluster, json.totals.clusters]).toEqual([202, null, 0]);
});

test('satisfy says who could, and why the others could not, and stores nothing', async () => {
  await host('arm', { cores: 4 }, { cpu: { target: 'arm64' } });
  const requires = [{ name: 'system', field: 'cpu.target', value: 'amd64' }];
  const tasks = [{ command: 'true', resources: 'r' }];
  const body = { version: 1, resources: { r: { ...cores(4), requires } }, tasks };
  const ask = async () => (await api.request('POST', '/v1/jobspecs/satisfy', { body })).json;
  expect(await ask()).toEqual({
    satisfied: false,
    totals: { clusters: 1, matches: 0, mismatches: 1 },
    clusters: [
      {
        name: 'default',
        matches: false,
        reason: 'requirement-not-met',
        at: '/resources/r/requires/0',
        detail: 'no vertex node has system cpu.target = amd64 (found arm64)',
      },
    ],
  });
  await host('amd', { cores: 4 }, { cpu: { target: 'amd64' } });
  expect(await ask()).toMatchObject({
    satisfied: true,
    clusters: [{ name: 'default', matches: true, slots: 1, free: true }],
  });
  const only = await submit({ jobspec: body, satisfyOnly: true });
  expect([only.status, only.json]).toMatchObject([200, { satisfied: true }]);
  expect((await api.request('GET', '/v1/jobs')).json.items).toEqual([]);
});

test('a group over several hosts, and a host for oneself, need a cluster', async () => {
  for (const name of ['a', 'b']) await host(name, { cores: 4 });
  const wide = { r: { ...cores(2), count: 2 } };
  const groups = [{ name: 'g', resources: 'r', tasks: [{ command: 'true' }] }];
  const refused = await submit({ version: 1, resources: wide, groups });
  expect(refused.json.errors[0].message).toContain('no-shared-allocation');
  const tasks = [{ command: 'true', resources: 'r' }];
  const alone = { r: { ...cores(2), exclusive: true } };
  const exclusive = await submit({ version: 1, resources: alone, tasks });
  expect([exclusive.status, exclusive.json.code]).toEqual([422, 'unsatisfiable']);
  expect(exclusive.json.errors[0].message).toContain('no-exclusive-node');
  expect((await submit({ version: 1, resources: wide, tasks })).status).toBe(202);
});

test.each([
  ['Slurm', 'push', { executors: { slurm: '24.05', process: true } }, 202],
  ['Flux', 'push', { executors: { flux: true } }, 202],
  ['a scheduler of its own, which reads the jobspec', 'pull', {}, 202],
  ['processes of its host', 'push', { executors: { process: true } }, 422],
  ['processes of its host, which it takes itself', 'pull', { executors: { process: true } }, 422],
  ['programs that only know the work document', 'push', {}, 422],
])('a node to oneself, of a cluster with %s, %s: %j', async (_, mode, facts, status) => {
  const nodes = { limits: { nodes: 2, coresPerNode: 4 } };
  await api.request('POST', '/v1/edges', { body: { name: 'blue', mode, nodes, facts } });
  const tasks = [{ command: 'true', resources: 'r' }];
  const asked = (exclusive: boolean) =>
    submit({ version: 1, resources: { r: { ...cores(2), exclusive } }, tasks });
  expect((await asked(false)).status).toBe(202);
  const { status: said, json } = await asked(true);
  expect(said, JSON.stringify(json)).toBe(status);
  if (status === 202) return;
  expect(json.errors).toEqual([
    { pointer: '/clusters/blue', message: expect.stringContaining('no-exclusive-node') },
  ]);
});

test('a selection by constraint that leaves nobody says why, of each', async () => {
  await host('a', { cores: 10 });
  const priorities = '- priority: 1\n  steps:\n  - filter: "nodes_free > 0"\n';
  const select = { algorithm: 'constraint', priorities };
  const { status, json } = await submit({ jobspec: spack, select });
  expect([status, json.code]).toEqual([422, 'no-cluster-selected']);
  expect(json.errors).toEqual([
    { pointer: '/clusters/default', message: 'priority 1: nodes_free is not known' },
  ]);
  const none = await submit({ jobspec: spack, select: { algorithm: 'constraint' } });
  expect(none.json.errors[0].pointer).toBe('/select/priorities');
  const bad = [{ priority: 1, steps: [{ filter: 'a >' }] }];
  const wrong = await submit({
    jobspec: spack,
    select: { algorithm: 'constraint', priorities: bad },
  });
  expect(wrong.json.errors[0].pointer).toBe('/select/priorities/0/steps/0/filter');
});

test('only the clusters that are named, and a name that is not there is as one not allowed', async () => {
  await host('a', { cores: 10 });
  expect((await submit(spack, '?clusters=default')).status).toBe(202);
  expect((await submit(spack, '?clusters=default,blue')).status).toBe(403);
});

test('the simple form is written out', async () => {
  await host('a', { cores: 4 });
  const { status, json, text } = await submit({
    simple: { nodes: 1, tasks: 2, command: "echo 'two words'" },
  });
  expect(status, text).toBe(202);
  const found = (await api.request('GET', `/v1/jobspecs/${json.id}`)).json;
  expect(found.jobspec).toMatchObject({
    resources: { 'task-resources': { type: 'slot', replicas: 1 } },
    tasks: [{ name: 'echo', command: ['echo', 'two words'] }],
  });
  expect(json.jobs[0].job.spec.resources).toEqual({ cores: 2 });
  expect((await submit({ simple: { nodes: 0, command: 'x' } })).status).toBe(400);
  expect((await submit({ simple: { nodes: 1, command: "x '" } })).status).toBe(400);
});

test('the same key gets the same answer, and the jobs are made once', async () => {
  await host('a', { cores: 10 });
  const first = await submit(spack, '', { 'idempotency-key': 'once' });
  const again = await submit(spack, '', { 'idempotency-key': 'once' });
  expect([again.status, again.json]).toEqual([202, first.json]);
  expect((await api.request('GET', '/v1/jobs')).json.items.length).toBe(2);
});

test('a cancelled one ends with all of its jobs, and can then be removed', async () => {
  await host('a', { cores: 10 });
  const { id } = (await submit(spack)).json;
  const early = await api.request('DELETE', `/v1/jobspecs/${id}?purge=true`);
  expect(early.json.code).toBe('not-finished');
  expect((await api.request('DELETE', `/v1/jobspecs/${id}`)).status).toBe(202);
  await api.settle();
  const ended = await api.request('GET', `/v1/jobspecs/${id}`);
  expect(ended.json.status).toMatchObject({ state: 'cancelled', tasks: { cancelled: 2 } });
  expect((await api.request('DELETE', `/v1/jobspecs/${id}?purge=true`)).status).toBe(204);
  expect((await api.request('GET', `/v1/jobspecs/${id}`)).status).toBe(404);
  expect((await api.request('GET', '/v1/jobs')).json.items).toEqual([]);
});

test('lists are of a pool, newest first, and of nobody else', async () => {
  await host('a', { cores: 10 });
  await host('b', { cores: 10 }, {}, 'lab');
  const ids: string[] = [];
  for (let at = 0; at < 3; at++) ids.push((await submit(spack)).json.id);
  const other = (await submit(spack, '?pool=lab')).json.id;
  const list = async (query: string, token = api.adminToken) =>
    (await api.request('GET', `/v1/jobspecs${query}`, { token })).json;
  const first = await list('?limit=2');
  const rest = await list(`?limit=2&cursor=${first.nextCursor}`);
  const listed = [...first.items, ...rest.items].map(({ id }) => id);
  expect(new Set(listed)).toEqual(new Set(ids));
  expect(rest.nextCursor).toBeNull();
  expect((await list('?state=done')).items).toEqual([]);
  const lab = await makeToken(api, { pool: 'lab' });
  expect((await list('?pool=lab', lab)).items.map(({ id }: { id: string }) => id)).toEqual([other]);
  expect((await list('', lab)).code).toBe('forbidden');
  const peek = await api.request('GET', `/v1/jobspecs/${ids[0]}`, { token: lab });
  expect(peek.status).toBe(404);
});

test('of the clusters that match, expressions over their state choose one', async () => {
  const node = (label: string) => ({ label, metadata: { type: 'node', name: label } });
  const core = { label: 'core', metadata: { type: 'core', size: 12 } };
  const nodes = { 0: { label: 'c', metadata: { type: 'cluster' } }, 1: node('n'), 2: core };
  const edges = [
    { source: '0', target: '1', relation: 'contains' },
    { source: '1', target: '2', relation: 'contains' },
  ];
  const priced = { memory_per_node: 200, cost_per_node_hour: 3 };
  for (const [name, state] of Object.entries({
    blue: { ...priced, nodes_free: 20 },
    pink: { ...priced, nodes_free: 20, cost_per_node_hour: 2 },
    full: { ...priced, nodes_free: 0, cost_per_node_hour: 1 },
  })) {
    const body = { name, nodes: { graph: { nodes, edges } } };
    const { status, text, json } = await api.request('POST', '/v1/edges', { body });
    expect(status, text).toBe(201);
    const path = `/v1/edges/${name}/state`;
    await api.request('PUT', path, { token: json.secret, body: state });
  }
  const jobspec = {
    version: 1,
    resources: { spack: { type: 'node', replicas: 1, with: [{ type: 'core', count: 2 }] } },
    tasks: [{ command: ['ior'], resources: 'spack' }],
    attributes: { parameter: { seconds_per_gb: 0.4 } },
  };
  const cost = '(cost_per_node_hour * (memory_per_node * seconds_per_gb)/60/60)';
  const steps = [
    { filter: 'nodes_free > 0' },
    { calc: `build_cost=${cost}` },
    { sort_ascending: 'build_cost' },
  ];
  const select = { algorithm: 'constraint', priorities: [{ priority: 1, steps }] };
  const { status, text, json } = await submit({ jobspec, select });
  expect(status, text).toBe(202);
  expect(json).toMatchObject({
    cluster: 'pink',
    totals: { clusters: 3, matches: 3 },
    selection: {
      priority: 1,
      excluded: [{ cluster: 'full', priority: 1, step: 0, reason: 'nodes_free is 0' }],
    },
  });
  expect(json.jobs[0].job.spec).toMatchObject({
    requires: { edges: ['pink'] },
    resources: { nodes: 1, cores: 2 },
  });
  const only = await submit({ jobspec, clusters: ['blue'] });
  expect(only.json.cluster).toBe('blue');
});

test('groups are shown as what they hold, and as a graph', async () => {
  await host('a', { cores: 10 });
  const body = {
    version: 1,
    resources: { four: cores(4), one: cores(1) },
    tasks: [
      { name: 'first', command: 'true', resources: 'one' },
      { group: 'outer', depends_on: ['first'] },
    ],
    groups: [
      {
        name: 'outer',
        resources: 'four',
        groups: [{ name: 'inner', resources: 'one', tasks: [{ name: 'x', command: 'true' }] }],
        tasks: [
          { name: 'y', command: 'true' },
          { group: 'inner', depends_on: ['y'] },
        ],
      },
    ],
  };
  const { id, jobs } = (await submit(body)).json;
  const found = (await api.request('GET', `/v1/jobspecs/${id}`)).json;
  const outer = { group: 'outer', parent: null, job: jobs[1].job.id, state: 'waiting' };
  expect(found.groups).toMatchObject([
    { ...outer, resources: { node: 1, core: 4 }, heldAt: null },
    { group: 'outer/inner', parent: 'outer', resources: { node: 1, core: 1 } },
  ]);
  expect(found.jobs).toMatchObject([
    { task: 'first', group: null },
    { task: 'y', group: 'outer', job: jobs[1].job.id },
    { task: 'x', group: 'outer/inner', job: jobs[1].job.id },
  ]);
  const graph = await api.request('GET', `/v1/jobspecs/${id}/graph`);
  expect(graph.json.edges).toEqual([
    { from: 'first', to: 'outer' },
    { from: 'outer/y', to: 'outer/inner' },
  ]);
  const dot = await api.request('GET', `/v1/jobspecs/${id}/graph?format=dot`);
  expect(dot.text).toContain('"first" -> "outer";');
});

test('what is wrong is reported with its place, all of it', async () => {
  const tasks = [
    { command: 'true', resources: 'comon' },
    { group: 'group-1', name: 'x' },
    { command: 'true', resources: 'common', steps: [{ name: 'stage', path: 'x' }] },
  ];
  const bad = await submit({ version: 1, resources: { common: cores(1) }, tasks });
  expect(bad.status).toBe(400);
  expect(bad.json.errors).toEqual([
    { pointer: '/tasks/1/group', message: 'There is no group "group-1" here.' },
    {
      pointer: '/tasks/0/resources',
      message: 'The resources "comon" are not among those that are listed. Did you mean "common"?',
    },
  ]);
  const unknown = { command: 'true', resources: 'common', steps: [{ name: 'load', path: 'x' }] };
  const step = await submit({ version: 1, resources: { common: cores(1) }, tasks: [unknown] });
  expect(step.json.errors).toEqual([
    { pointer: '/tasks/0/steps/0/name', message: 'The only step is "stage".' },
  ]);
});

test('its labels are those of its jobs, and a list is of those that have them', async () => {
  await host('large', { cores: 10 });
  const ids: string[] = [];
  for (const labels of [{ team: 'storms' }, { team: 'tides', constructor: 'of-it' }, undefined]) {
    ids.push((await submit({ jobspec: spack, labels })).json.id);
  }
  const found = (await api.request('GET', `/v1/jobspecs/${ids[1]}`)).json;
  expect(found.labels).toEqual({ team: 'tides', constructor: 'of-it' });
  const job = (await api.request('GET', `/v1/jobs/${found.jobs[0].job}`)).json;
  expect(job.spec.labels).toMatchObject({ team: 'tides', 'jobspec/task': 'build' });
  const listed = async (query: string) => {
    const items: { id: string }[] = [];
    for (let cursor = ''; ; ) {
      const path = `/v1/jobspecs?limit=1${query}${cursor}`;
      const { json } = await api.request('GET', path);
      items.push(...json.items);
      if (json.nextCursor === null) return items.map(({ id }) => id);
      cursor = `&cursor=${json.nextCursor}`;
    }
  };
  expect(await listed('')).toEqual([...ids].reverse());
  expect(await listed('&label=team=storms')).toEqual([ids[0]]);
  expect(await listed('&label=team=tides&label=constructor=of-it')).toEqual([ids[1]]);
  expect(await listed('&label=toString=x')).toEqual([]);
  expect((await api.request('GET', '/v1/jobspecs?label=team')).status).toBe(400);
  const taken = await submit({ jobspec: spack, labels: { 'jobspec/id': 'mine' } });
  const own = (await api.request('GET', `/v1/jobs/${taken.json.jobs[0].job.id}`)).json;
  expect(own.spec.labels['jobspec/id']).toBe(taken.json.id);
});
