import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../start/stage.ts';
import type { Said } from './cluster-program.ts';
import { describe, equalNodes, type ProcessCluster, processCluster } from './process-cluster.ts';
import { type RulesStage, startRules } from './rules-stage.ts';

/** Jobspecs as things that run: each field by what a task sees of it, over HTTP. */
let stage: RulesStage;
let box: ProcessCluster;
const at = (name: string): string => join(stage.product.place.directory, name);
const lines = (name: string): string[] =>
  existsSync(at(name)) ? readFileSync(at(name), 'utf8').trim().split('\n') : [];

beforeAll(async () => {
  stage = await startRules();
  box = processCluster(stage.product, 'box', 'hpc');
  box.start();
  await stage.product.untilConnected(1);
  await describe(stage.product, 'box', equalNodes(4, { core: 2 }), { gpus: 1 });
}, 180_000);
afterAll(() => stage.product.remove());

const node = (count = 1, cores = 1) => ({
  type: 'node',
  count,
  with: [{ type: 'core', count: cores }],
});
type Spec = Record<string, unknown>;
const spec = (more: Spec): Spec => ({ version: 1, resources: { r: node() }, ...more });
const task = (name: string, command: unknown = 'true', more: Spec = {}): Spec => ({
  name,
  command,
  resources: 'r',
  ...more,
});
const submit = (body: unknown): Promise<Said> => stage.admin('POST', '/v1/jobspecs?pool=hpc', body);
const read = (id: string) => stage.expecting(200, 'GET', `/v1/jobspecs/${id}`);

async function accepted(body: unknown): Promise<string> {
  const { status, json } = await submit(body);
  expect(status, JSON.stringify(json)).toBe(202);
  return json.id;
}

async function ended(id: string): Promise<Said['json']> {
  const over = async () => {
    const found = await read(id);
    return ['done', 'failed', 'cancelled'].includes(found.status.state) ? found : null;
  };
  return until(`${id} has ended`, over, 120_000);
}

/** A line of what a task sees of its environment, and where it is. */
const say = (file: string, words: string): string => `echo ${words} >> "${at(file)}"`;

test('killed in the middle: text, order, groups and outputs are as if nothing had been', async () => {
  const waiting = `while [ ! -e "${at('go')}" ]; do /bin/sleep 0.1; done`;
  const text = [
    'version: 1   # as it is sent',
    'name: storm',
    'resources:',
    '  r: {type: node, with: [{type: core, count: 1}]}',
    '  room: {type: node, count: 2, with: [{type: core, count: 2}]}',
    'tasks:',
    `- {name: first, resources: r, command: '${say('storm', 'first')}; ${waiting}'}`,
    '- {group: all, depends_on: [first]}',
    `- {name: last, resources: r, depends_on: [all], command: '${say('storm', 'last')}'}`,
    'groups:',
    '- name: all',
    '  resources: room',
    '  tasks:',
    `  - {name: inner, resources: r, replicas: 3, command: '${say('storm', 'inner')}'}`,
    '',
  ].join('\n');
  const id = await accepted({ jobspec: text, labels: { team: 'storms' } });
  await until('the first runs', () => lines('storm').length > 0);
  await stage.killAndStart([box]);
  writeFileSync(at('go'), '');
  const found = await ended(id);
  expect(found).toMatchObject({
    text,
    name: 'storm',
    pool: 'hpc',
    cluster: 'box',
    status: { state: 'done', percent: 100, tasks: { total: 3, done: 3 } },
    jobs: [
      { task: 'first' },
      { task: 'inner', group: 'all' },
      { task: 'last', dependsOn: ['all'] },
    ],
    groups: [{ group: 'all', parent: null, edge: 'box', resources: { node: 2, core: 4 } }],
  });
  expect(found.jobspec.tasks.length).toBe(3);
  const [group] = found.groups;
  expect(Date.parse(group.releasedAt)).toBeGreaterThanOrEqual(Date.parse(group.heldAt));
  const order = lines('storm').filter((it, at, all) => it !== all[at - 1]);
  expect(order).toEqual(['first', 'inner', 'last']);
  const byLabel = await stage.expecting(
    200,
    'GET',
    '/v1/jobspecs?pool=hpc&state=done&label=team=storms',
  );
  expect(byLabel.items.map((it: { id: string }) => it.id)).toEqual([id]);
  const graph = await stage.expecting(200, 'GET', `/v1/jobspecs/${id}/graph`);
  expect(graph.edges).toEqual([
    { from: 'first', to: 'all' },
    { from: 'all', to: 'last' },
  ]);
}, 240_000);

test('the innermost attribute counts, and environments are merged name by name', async () => {
  const env = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'x']));
  const attributes = (inner: Spec, more: Spec = {}) => ({
    attributes: { environment: inner, ...more },
  });
  const seen = '$A-$B-$C-$D-$PWD';
  const id = await accepted(
    spec({
      ...attributes({ ...env('B', 'C', 'D'), A: 'document' }, { duration: '1h', cwd: '/' }),
      resources: { r: { ...node(), ...attributes({ ...env('C', 'D'), B: 'resource' }) } },
      groups: [
        {
          name: 'g',
          resources: 'r',
          ...attributes({ ...env('D'), C: 'group' }),
          tasks: [task('in', say('seen', seen), attributes({ D: 'task' }, { cwd: '/tmp' }))],
        },
      ],
      tasks: [task('out', say('seen-out', seen))],
    }),
  );
  expect((await ended(id)).status.state).toBe('done');
  expect(lines('seen')).toEqual(['document-resource-group-task-/tmp']);
  expect(lines('seen-out')).toEqual(['document-resource-x-x-/']);
});

test('a command is words, a line or a script; runs know their number', async () => {
  const python = `#!/usr/bin/env python3\nopen("${at('python')}", "w").write("from python")\n`;
  const id = await accepted(
    spec({
      tasks: [
        task('words', ['/bin/sh', '-c', say('kinds', '"$0"'), 'of words']),
        task('line', say('kinds', 'of a line')),
        task('script', `#!/bin/bash\n[[ a == a ]] && ${say('kinds', 'of a script')}\n`),
        task('python', python),
        task('runs', say('runs', '$EDGEWISE_CHUNK of $EDGEWISE_CHUNKS'), { replicas: 4 }),
        task('wide', say('wide', 'once'), { resources: 'w', replicas: 2 }),
      ],
      resources: { r: node(), w: node(3) },
    }),
  );
  expect((await ended(id)).status).toMatchObject({ state: 'done', tasks: { total: 6, done: 6 } });
  expect(lines('kinds').sort()).toEqual(['of a line', 'of a script', 'of words']);
  expect(lines('python')).toEqual(['from python']);
  expect(lines('runs').sort()).toEqual([0, 1, 2, 3].map((chunk) => `${chunk} of 4`));
  expect(lines('wide')).toEqual(['once', 'once']);
});

test('a failure is final for who waits, names who failed, and a retry runs both', async () => {
  const id = await accepted(
    spec({
      tasks: [
        task('build', `test -e "${at('fixed')}"`),
        task('run', say('retried', 'ran'), { depends_on: ['build'] }),
        task('other', say('others', 'ran')),
      ],
    }),
  );
  const failed = await ended(id);
  expect(failed.status).toMatchObject({ state: 'failed', tasks: { failed: 2, done: 1 } });
  expect(failed.status.reason).toContain('"build" failed');
  const { build, run } = Object.fromEntries(
    failed.jobs.map((it: { task: string; job: string }) => [it.task, it.job]),
  );
  const { items } = await stage.expecting(200, 'GET', `/v1/jobs/${run}/events`);
  expect(items.at(-1)).toMatchObject({ kind: 'failed', detail: expect.stringContaining(build) });
  writeFileSync(at('fixed'), '');
  await stage.expecting(202, 'POST', `/v1/jobspecs/${id}/retry`);
  await until('it runs again', async () => (await read(id)).status.state !== 'failed');
  expect((await ended(id)).status).toMatchObject({ state: 'done', tasks: { done: 3 } });
  expect([lines('retried'), lines('others')]).toEqual([['ran'], ['ran']]);
  await stage.expecting(409, 'POST', `/v1/jobspecs/${id}/retry`);
}, 180_000);

test('a task that fails lets the others of its group end, or ends them by wish', async () => {
  const group = (name: string, attributes: Spec = {}) => ({
    name,
    resources: 'room',
    attributes,
    tasks: [
      task('bad', 'false'),
      task('good', `/bin/sleep 1; ${say(name, 'ended')}`),
      task('after', say(name, 'local'), { local: true, resources: undefined }),
    ],
  });
  const run = async (name: string, attributes?: Spec) => {
    const body = spec({
      resources: { r: node(), room: node(2) },
      groups: [group(name, attributes)],
    });
    const after = {
      tasks: [{ group: name }, task('then', say(name, 'then'), { depends_on: [name] })],
    };
    return ended(await accepted({ ...body, ...after }));
  };
  const lenient = await run('lenient');
  expect(lenient.status).toMatchObject({ state: 'failed' });
  expect(lines('lenient')).toContain('ended');
  expect((await run('strict', { stopOnFailure: true })).status.state).toBe('failed');
  expect(lines('strict')).not.toContain('ended');
  expect([...lines('lenient'), ...lines('strict')]).not.toContain('then');
}, 180_000);

test('what takes longer than it may ends with that reason; a group as a whole', async () => {
  const short = { attributes: { duration: 1 } };
  const id = await accepted(
    spec({
      tasks: [task('long', '/bin/sleep 100', short)],
      groups: [{ name: 'g', resources: 'r', ...short, tasks: [task('a', '/bin/sleep 100')] }],
    }),
  );
  const { jobs, status } = await ended(id);
  expect(status).toMatchObject({ state: 'failed', tasks: { failed: 2 } });
  for (const { job } of jobs) {
    const { items } = await stage.expecting(200, 'GET', `/v1/jobs/${job}/chunks`);
    expect(items[0].reason, JSON.stringify(items[0])).toMatch(/timeout/);
  }
}, 180_000);

test('cancelled it ends, whatever of it runs; then it can be removed', async () => {
  const id = await accepted(
    spec({ tasks: [task('a', '/bin/sleep 100'), task('b', 'true', { depends_on: ['a'] })] }),
  );
  await until('it runs', async () => (await read(id)).status.state === 'running');
  await stage.expecting(409, 'DELETE', `/v1/jobspecs/${id}?purge=true`);
  await stage.expecting(202, 'DELETE', `/v1/jobspecs/${id}`);
  expect((await ended(id)).status).toMatchObject({ state: 'cancelled', tasks: { cancelled: 2 } });
  await stage.expecting(204, 'DELETE', `/v1/jobspecs/${id}?purge=true`);
  await stage.expecting(404, 'GET', `/v1/jobspecs/${id}`);
}, 180_000);

test('a simple command is written out, as whoever reads it sees', async () => {
  const simple = { nodes: 2, tasks: 8, command: `sh -c '${say('simple', 'one line')}'` };
  const found = await ended(await accepted({ simple }));
  expect([found.status.state, lines('simple')]).toEqual(['done', ['one line']]);
  expect(found.jobspec).toMatchObject({
    resources: {
      'task-resources': {
        with: [
          { type: 'node', count: 2 },
          { type: 'core', count: 8 },
        ],
      },
    },
    tasks: [{ name: 'sh', resources: 'task-resources' }],
  });
  for (const wrong of [
    { ...simple, nodes: 0 },
    { ...simple, tasks: -1 },
  ]) {
    expect((await submit({ simple: wrong })).status).toBe(400);
  }
});

const g = (name: string, more: Spec = {}): Spec => ({
  name,
  resources: 'r',
  tasks: [task('x')],
  ...more,
});
const refusals: readonly (readonly [what: string, body: Spec, pointer: string, words: RegExp])[] = [
  ['another version', { ...spec({ tasks: [task('a')] }), version: 2 }, '/version', /version 1/],
  ['an unknown field', spec({ tasks: [task('a', 'true', { nice: 1 })] }), '/tasks/0/nice', /nice/],
  [
    'itself',
    spec({ tasks: [task('x', 'true', { depends_on: ['x'] })] }),
    '/tasks/0/depends_on/0',
    /^"x" waits for itself\.$/,
  ],
  [
    'each other',
    spec({
      tasks: [
        task('aa', 'true', { depends_on: ['bb'] }),
        task('bb', 'true', { depends_on: ['aa'] }),
      ],
    }),
    '/tasks/0/depends_on',
    /^"aa" and "bb" wait for each other\.$/,
  ],
  [
    'an unknown name',
    spec({ tasks: [task('build'), task('b', 'true', { depends_on: ['biuld'] })] }),
    '/tasks/1/depends_on/0',
    /"biuld".*"build"/,
  ],
  [
    'too long for its parent',
    spec({
      attributes: { duration: '5m' },
      tasks: [task('a', 'true', { attributes: { duration: '1h' } })],
    }),
    '/tasks/0/attributes/duration',
    /"a".*3600 s.*300 s/,
  ],
  [
    'local outside of a group',
    spec({ tasks: [task('a', 'true', { local: true })] }),
    '/tasks/0/local',
    /group/,
  ],
  [
    'an unknown step',
    spec({ tasks: [task('a', 'true', { steps: [{ name: 'load', path: 'x' }] })] }),
    '/tasks/0/steps/0/name',
    /stage/,
  ],
  [
    'a group twice',
    spec({ tasks: [{ group: 'g' }, { group: 'g' }], groups: [g('g')] }),
    '/tasks/1/group',
    /\/tasks\/0/,
  ],
  [
    'larger than its group',
    spec({
      resources: { r: node(), big: node(2) },
      groups: [g('g', { tasks: [task('x', 'true', { resources: 'big' })] })],
    }),
    '/groups/0/tasks/0/resources',
    /more than its group "g"/,
  ],
  [
    'several at once',
    spec({ tasks: [task('a', 'true', { resources: 'r,r' })] }),
    '/tasks/0/resources',
    /several/,
  ],
  [
    'an unknown unit',
    spec({ resources: { r: { type: 'memory', count: 1, unit: 'furlong' } }, tasks: [task('a')] }),
    '/resources/r/unit',
    /MB/,
  ],
  [
    'an unknown label',
    spec({ tasks: [task('a', 'true', { slot: 'fast' })] }),
    '/tasks/0/slot',
    /"fast"/,
  ],
  [
    'an exclusive core',
    spec({ resources: { r: { type: 'core', exclusive: true } }, tasks: [task('a')] }),
    '/resources/r/exclusive',
    /node/,
  ],
  [
    'unknown requirements',
    spec({ tasks: [task('a', 'true', { requires: 'soft' })] }),
    '/tasks/0/requires',
    /"soft"/,
  ],
  ['no command', spec({ tasks: [{ name: 'a', resources: 'r' }] }), '/tasks/0/command', /command/],
  [
    'more tasks than fit',
    spec({ tasks: Array.from({ length: 201 }, (_, it) => task(`t${it}`)) }),
    '/tasks',
    /200/,
  ],
];

test('what cannot be meant is refused with its place and its names, and nothing is stored', async () => {
  const before = (await stage.expecting(200, 'GET', '/v1/jobspecs?pool=hpc&limit=1')).items[0]?.id;
  for (const [what, body, pointer, words] of refusals) {
    const { status, json } = await submit(body);
    expect([what, status, json.code], JSON.stringify(json)).toEqual([what, 400, 'invalid-request']);
    const found = json.errors.find((it: { pointer: string }) => it.pointer === pointer);
    expect(found?.message, `${what}: ${JSON.stringify(json.errors)}`).toMatch(words);
  }
  const many = spec({
    tasks: Array.from({ length: 60 }, (_, it) => task(`t${it}`, 'true', { resources: 'q' })),
  });
  expect((await submit(many)).json.errors.length).toBe(50);
  const after = (await stage.expecting(200, 'GET', '/v1/jobspecs?pool=hpc&limit=1')).items[0]?.id;
  expect(after).toBe(before);
});
