import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../start/stage.ts';
import type { Said } from './cluster-program.ts';
import {
  describe,
  equalNodes,
  killEverything,
  type ProcessCluster,
  processCluster,
} from './process-cluster.ts';
import { type RulesStage, startRules } from './rules-stage.ts';

/**
 * More of what a jobspec may say, over HTTP: choices, slots, staged files, hosts; and that it is
 * there whole or not at all, whenever everything is killed.
 */
let stage: RulesStage;
let box: ProcessCluster;
const hosts: ProcessCluster[] = [];
const at = (name: string): string => join(stage.product.place.directory, name);
const lines = (name: string): string[] =>
  existsSync(at(name)) ? readFileSync(at(name), 'utf8').trim().split('\n') : [];

beforeAll(async () => {
  stage = await startRules();
  box = processCluster(stage.product, 'box', 'hpc');
  box.start();
  for (const name of ['one', 'two']) {
    hosts.push(processCluster(stage.product, name, 'farm'));
    hosts.at(-1)!.start();
  }
  await stage.product.untilConnected(3);
  await describe(stage.product, 'box', equalNodes(2, { core: 4 }));
}, 180_000);
afterAll(() => stage.product.remove());

type Spec = Record<string, unknown>;
const node = (count = 1, more: Spec = {}) => ({
  type: 'node',
  count,
  with: [{ type: 'core', count: 1 }],
  ...more,
});
const spec = (more: Spec): Spec => ({ version: 1, resources: { r: node() }, ...more });
const task = (name: string, command: unknown = 'true', more: Spec = {}): Spec => ({
  name,
  command,
  resources: 'r',
  ...more,
});
const say = (file: string, words: string): string => `echo ${words} >> "${at(file)}"`;
const submit = (body: unknown, pool = 'hpc'): Promise<Said> =>
  stage.admin('POST', `/v1/jobspecs?pool=${pool}`, body);
const read = (id: string) => stage.expecting(200, 'GET', `/v1/jobspecs/${id}`);

async function done(body: unknown, pool = 'hpc'): Promise<Said['json']> {
  const { status, json } = await submit(body, pool);
  expect(status, JSON.stringify(json)).toBe(202);
  const over = async () => {
    const found = await read(json.id);
    return ['done', 'failed', 'cancelled'].includes(found.status.state) ? found : null;
  };
  const found = await until(`${json.id} has ended`, over, 120_000);
  expect(found.status, JSON.stringify(found)).toMatchObject({ state: 'done', percent: 100 });
  return { ...found, answer: json };
}

async function refused(body: Spec, pool = 'hpc'): Promise<Record<string, string>> {
  const { status, json } = await submit(body, pool);
  expect(status, JSON.stringify(json)).toBeGreaterThanOrEqual(400);
  const errors: { pointer: string; message: string }[] = json.errors ?? [];
  return Object.fromEntries(errors.map(({ pointer, message }) => [pointer, message]));
}

test('of a|b the first that is there, of resources and of requirements, and it is said', async () => {
  const subsystem = {
    graph: {
      nodes: { s: { metadata: { type: 'spack' } }, p: { metadata: { type: 'package' } } },
      edges: [
        { source: 's', target: 'p', relation: 'contains' },
        { source: 'c', target: 'p', relation: 'contains' },
      ],
    },
  };
  await stage.expecting(201, 'PUT', '/v1/edges/box/subsystems/spack', subsystem);
  const requires = {
    lammps: [{ name: 'spack', field: 'type', match: 'lammps' }],
    any: [{ name: 'spack', field: 'type', match: 'package' }],
  };
  const resources = { r: node(), huge: node(99) };
  const body = (names: string) => ({
    ...spec({ requires, resources }),
    tasks: [task('a', say('chosen', 'ran'), { resources: 'huge|r', requires: names })],
  });
  const found = await done(body('lammps|any'));
  expect(found.selection.choices).toContainEqual({ at: '/tasks/0/resources', chosen: 'r' });
  expect(lines('chosen')).toEqual(['ran']);
  const none = await submit(body('lammps'));
  expect([none.status, none.json.errors[0].pointer]).toEqual([422, '/clusters/box']);
  expect(await refused({ ...spec({}), tasks: [task('a', 'true', { resources: 'r,r' })] })).toEqual({
    '/tasks/0/resources': expect.stringContaining('several'),
  });
});

test('with "busy" the second is taken while the first is, and else the first is waited for', async () => {
  const resources = { all: node(2, { with: [{ type: 'core', count: 4 }] }), r: node() };
  const hold = spec({ resources, tasks: [task('hold', '/bin/sleep 100')] });
  const held = await submit(hold);
  const running = async () => (await read(held.json.id)).status.state === 'running';
  await until('it runs', running);
  const body = spec({ resources, tasks: [task('a', 'true', { resources: 'all|r' })] });
  const chosen = async (more: Spec) => {
    const { json } = await submit({ jobspec: body, ...more, satisfyOnly: false });
    await stage.expecting(202, 'DELETE', `/v1/jobspecs/${json.id}`);
    return json.selection.choices[0].chosen;
  };
  expect(await chosen({})).toBe('all');
  expect(await chosen({ fallback: 'busy' })).toBe('r');
  await stage.expecting(202, 'DELETE', `/v1/jobspecs/${held.json.id}`);
});

test('slots: as many runs as places, by their label; replicas of what takes several nodes', async () => {
  const slot = { type: 'slot', replicas: 3, label: 'place', with: [{ type: 'core', count: 2 }] };
  const found = await done(
    spec({
      resources: { r: slot, wide: node(2) },
      tasks: [
        task('each', say('slots', '$EDGEWISE_CHUNK'), { slot: 'place' }),
        task('wide', say('wide', '$EDGEWISE_CHUNK of $EDGEWISE_CHUNKS'), {
          resources: 'wide',
          replicas: 4,
        }),
      ],
    }),
  );
  expect(lines('slots').sort()).toEqual(['0', '1', '2']);
  expect(lines('wide').sort()).toEqual([0, 1, 2, 3].map((run) => `${run} of 4`));
  const job = await stage.product.job(found.jobs[1].job);
  expect(job.spec.resources).toMatchObject({ nodes: 2, cores: 2 });
});

test('durations are equal however they are written; memory has a unit', async () => {
  const written = new Map<unknown, number>([
    ...['120', '120s', '2m', 120].map((duration) => [duration, 120] as const),
    ['2h', 7_200],
    ['120m', 7_200],
    ['1d', 86_400],
    ['24h', 86_400],
  ]);
  const limits = await Promise.all(
    [...written.keys()].map(async (duration) => {
      const attributes = { duration };
      const found = await done(spec({ tasks: [task('a', 'true', { attributes })] }));
      const { run } = (await stage.product.job(found.jobs[0].job)).spec as Said['json'];
      return [duration, run.process.timeoutSeconds];
    }),
  );
  expect(limits).toEqual([...written]);
  for (const duration of ['2 minutes', -1, 'h']) {
    const attributes = { duration };
    expect(
      Object.keys(await refused(spec({ tasks: [task('a', 'true', { attributes })] }))),
    ).toEqual(['/tasks/0/attributes/duration']);
  }
  const memory = { type: 'memory', count: 2, unit: 'GB' };
  const found = await done(
    spec({ resources: { r: node(1, { with: [memory] }) }, tasks: [task('a')] }),
    'farm',
  );
  const { resources } = (await stage.product.job(found.jobs[0].job)).spec;
  expect(Object.values(resources)).toContain(2_048);
});

test('what is staged is there for each run, and what was not sent is refused', async () => {
  const text = 'a mesh\n';
  const sha256 = createHash('sha256').update(text).digest('hex');
  const where = { sha256, bytes: text.length, pool: 'hpc' };
  const { status, json: address } = await stage.admin('POST', '/v1/files', where);
  expect([200, 201], JSON.stringify(address)).toContain(status);
  const put = await fetch(address.uploadUrl, {
    method: 'PUT',
    headers: address.headers,
    body: text,
  });
  expect(put.status).toBe(200);
  const steps = [{ name: 'stage', path: './data/mesh.txt' }];
  const jobspec = spec({
    tasks: [
      task('a', `cat "$EDGEWISE_STAGE/mesh.txt" >> "${at('staged')}"`, { steps, replicas: 2 }),
    ],
  });
  await done({ jobspec, stages: { './data/mesh.txt': { sha256 } } });
  expect(lines('staged')).toEqual(['a mesh', 'a mesh']);
  expect(Object.keys(await refused({ jobspec }))).toEqual(['/tasks/0/steps/0']);
});

test('on hosts: who waits for another is on its host, unless parted; no host has a whole node', async () => {
  const tasks = [
    task('a', say('hosts', '$EDGEWISE_EDGE')),
    task('b', 'true', { depends_on: ['a'] }),
  ];
  const found = await done(spec({ tasks }), 'farm');
  const jobs = await Promise.all(
    found.jobs.map(({ job }: { job: string }) => stage.product.job(job)),
  );
  const edges = jobs.map(({ spec: it }) => it.requires.edges);
  expect([edges[0].length, edges[1]]).toEqual([1, edges[0]]);
  expect(lines('hosts')).toEqual(edges[0]);
  const parted = await done({ jobspec: spec({ tasks }), together: 'pool' }, 'farm');
  const free = await stage.product.job(parted.jobs[0].job);
  expect(free.spec.requires.edges).toEqual([]);
  const alone = spec({ resources: { r: node(1, { exclusive: true }) }, tasks: [task('a')] });
  const crowded = expect.stringContaining('cannot be had alone');
  expect(await refused(alone, 'farm')).toEqual({ '/clusters/farm': crowded });
  expect(await refused(alone, 'hpc')).toEqual({ '/clusters/box': crowded });
  await stage.register('tower', 'batch', {
    mode: 'push',
    nodes: equalNodes(1, { core: 4 }),
    facts: { executors: { slurm: true } },
  });
  const { status, json } = await submit(alone, 'batch');
  expect(status, JSON.stringify(json)).toBe(202);
  const { spec: given } = await stage.product.job(json.jobs[0].job.id);
  expect(given.run).toMatchObject({ slurm: { options: expect.arrayContaining(['--exclusive']) } });
});

test('its graph as a picture; mistakes in the order in which they can be seen', async () => {
  const found = await done(spec({ tasks: [task('a'), task('b', 'true', { depends_on: ['a'] })] }));
  const { api, token } = stage.product.place.endpoints()!;
  const headers = { authorization: `Bearer ${token}` };
  const dot = await fetch(`${api}/v1/jobspecs/${found.id}/graph?format=dot`, { headers });
  expect(await dot.text()).toMatch(/digraph jobspec \{[\s\S]*"a" -> "b";/);
  await stage.expecting(400, 'GET', `/v1/jobspecs/${found.id}/graph?format=png`);
  const yaml = await submit({ jobspec: 'version: 1\ntasks: [' });
  expect([yaml.status, yaml.json.code.startsWith('invalid')]).toEqual([400, true]);
  const wrong = spec({
    tasks: [task('a', 'true', { nice: 1 }), task('b', 'true', { depends_on: ['nobody'] })],
  });
  expect(Object.keys(await refused(wrong))).toEqual(['/tasks/0/nice']);
  const simple = await submit({ simple: { nodes: 1, tasks: 0, command: 'hostname' } });
  const { jobspec } = await read(simple.json.id);
  expect(jobspec.resources['task-resources'].with).toEqual([{ type: 'node', count: 1 }]);
});

test('killed while many are submitted, each is there whole or not at all', async () => {
  const tasks = Array.from({ length: 12 }, (_, number) => task(`t${number}`));
  const labels = { wave: 'cut' };
  const sent = Array.from({ length: 12 }, () =>
    submit({ jobspec: spec({ tasks }), labels }).catch(() => null),
  );
  await Promise.any(sent.map(async (one) => (await one)?.status === 202 || Promise.reject()));
  await killEverything(stage.product);
  await Promise.all(sent);
  await stage.product.startCloud();
  for (const agent of [box, ...hosts]) agent.start();
  const listed = async (): Promise<Said['json'][]> =>
    (await stage.expecting(200, 'GET', '/v1/jobspecs?pool=hpc&label=wave=cut')).items;
  await until(
    'each is done',
    async () => {
      const items = await listed();
      return items.length > 0 && items.every(({ status }) => status.state === 'done');
    },
    200_000,
  );
  for (const { id } of await listed()) {
    const { status, jobs } = await read(id);
    expect([status.tasks, jobs.length]).toMatchObject([{ total: 12, done: 12 }, 12]);
  }
}, 300_000);

test('a name that is nearly right is answered with the one that was meant', async () => {
  const groups = [{ name: 'train', resources: 'r', tasks: [task('x')] }];
  const nearly: readonly (readonly [body: Spec, pointer: string, words: RegExp])[] = [
    [
      spec({ resources: { big: node() }, tasks: [task('a', 'true', { resources: 'bgi' })] }),
      '/tasks/0/resources',
      /"bgi".*Did you mean "big"\?/,
    ],
    [
      spec({ tasks: [{ group: 'trian' }, { group: 'train' }], groups }),
      '/tasks/0/group',
      /"trian".*Did you mean "train"\?/,
    ],
  ];
  for (const [body, pointer, words] of nearly) {
    const found = await refused(body);
    expect(found[pointer], JSON.stringify(found)).toMatch(words);
  }
});

test('a task waits for twenty others, and is refused with a twenty-first', async () => {
  const many = (count: number): string[] => Array.from({ length: count }, (_, n) => `t${n}`);
  const waiting = (names: string[]) =>
    spec({
      tasks: [...names.map((name) => task(name)), task('z', 'true', { depends_on: names })],
    });
  expect((await refused(waiting(many(21))))['/tasks/21/depends_on']).toMatch(/20/);
  const { jobs } = await done(waiting(many(20)));
  expect(jobs.find((job: { task: string }) => job.task === 'z').dependsOn).toHaveLength(20);
}, 180_000);
