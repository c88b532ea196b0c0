import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { jobBodySchema } from '../../core/contract/job-body.ts';
import { translateJobspec } from '../../core/contract/jobspec.ts';
import { jobspecSchema } from '../../core/contract/jobspec-schema.ts';
import { checkBody } from '../../core/contract/validation.ts';
import { mismatchOf } from '../../core/scheduler/matching.ts';
import { makeEdge, makeSpec } from '../core/cell-fixture.ts';

/** Jobspecs that other schedulers' users have lying around: see `fixtures/jobspecs/README.md`. */

type Read =
  | { readonly bodies: readonly Record<string, unknown>[]; readonly after: readonly string[][] }
  | { readonly pointers: readonly string[]; readonly said: string };

function read(document: unknown): Read {
  const checked = checkBody(jobspecSchema, document);
  if (!checked.ok) return refusal(checked.errors);
  const translation = translateJobspec(checked.value);
  if (!translation.ok) return refusal(translation.errors);
  for (const { body } of translation.tasks) {
    expect(checkBody(jobBodySchema, body)).toMatchObject({ ok: true });
  }
  const { tasks } = translation;
  return { bodies: tasks.map(({ body }) => body), after: tasks.map(({ after }) => [...after]) };
}

function refusal(errors: readonly { pointer: string; message: string }[]): Read {
  const said = errors.map(({ message }) => message).join(' ');
  return { pointers: errors.map(({ pointer }) => pointer), said };
}

function file(name: string): unknown {
  return parse(readFileSync(join(import.meta.dirname, `fixtures/jobspecs/${name}.yaml`), 'utf8'));
}

function bodies(name: string): readonly Record<string, unknown>[] {
  const result = read(file(name));
  if ('pointers' in result) throw new Error(`${result.pointers.join(' ')}: ${result.said}`);
  return result.bodies;
}

test('the hello world: two tasks of four cores, on hosts that say what they are', () => {
  const requires = { expressions: [{ key: 'facts.cpu.target', op: '=', value: 'amd64' }] };
  const [one, two] = bodies('hello-world');
  expect(one).toMatchObject({ name: 'task-1', chunks: 1, resources: { cores: 4 }, requires });
  expect(two).toMatchObject({ name: 'task-2', run: { process: { timeoutSeconds: null } } });
});

test.each([
  ['depends-on', [[], ['task-1']]],
  ['spack', [[], ['build']]],
])('%s: the second task waits for the first', (name, after) => {
  expect(read(file(name))).toMatchObject({ after });
});

test('spack: what is installed on ten cores is run on ten cores', () => {
  const [build, ior] = bodies('spack');
  expect(build).toMatchObject({
    resources: { cores: 10 },
    run: { process: { argv: ['spack', 'install', 'ior'] } },
  });
  const script = 'spack load ior\nior -b 10g -O summaryFormat=json\n';
  expect(ior).toMatchObject({ run: { process: { argv: ['bash', '-c', script] } } });
});

test.each([
  ['valid-range', true],
  ['invalid-range', false],
])('%s: two slots of two cores, where the version is within the range', (name, fits) => {
  const [body] = bodies(name);
  expect(body).toMatchObject({ chunks: 2, resources: { cores: 2 }, placement: { nodes: null } });
  const { expressions } = body!.requires as { expressions: never[] };
  const spec = makeSpec({ requires: { labels: {}, expressions, edges: [] } });
  const edge = makeEdge('edge-1', { flat: { 'software.spack': '0.5.2' } });
  expect(mismatchOf(edge, spec) === null).toBe(fits);
});

test.each([
  ['a misspelt field', 'io', '/task'],
  ['parameters of a selection that is not there', 'constraint', '/attributes/parameter'],
  ['requirements that are no list', 'requires-map', '/resources/single-node/requires'],
  ['a choice between resources', 'machine-learning', '/groups/1/resources'],
  ['subsystems', 'subsystem', '/tasks/0/requires'],
  ['the format of before', 'older-format', '/resources'],
])('%s: refused with its place, never ignored', (_, name, pointer) => {
  const result = read(file(name));
  expect('pointers' in result ? result.pointers : result).toContain(pointer);
});

test('a group as a task runs in its place', () => {
  const [one, two] = bodies('task-with-group');
  expect([one!.labels, two!.labels]).toEqual([
    { 'jobspec/task': 'task-1' },
    { 'jobspec/task': 'task-2/task-0' },
  ]);
  expect(two).toMatchObject({ name: 'task-2-task-0', chunks: 1 });
});

test('a group within a group: tasks have the resources of their group', () => {
  expect(bodies('group-with-group').map(({ name }) => name)).toEqual([
    'group-1-task-0',
    'group-2-task-0',
  ]);
});

const one = { command: ['true'] };
const group = (name: string, more: object = {}) => ({
  name,
  resources: 'r',
  tasks: [one, one],
  ...more,
});
const grouped = (spec: object) => read({ version: 1, resources: { r: { type: 'node' } }, ...spec });

test('whoever waits for a group waits for all of it, and a group waits as a whole', () => {
  const tasks = [
    { ...one, name: 'first', resources: 'r' },
    { name: 'middle', group: 'g', depends_on: ['first'] },
    { ...one, name: 'last', resources: 'r', depends_on: ['middle'] },
  ];
  expect(grouped({ tasks, groups: [group('g')] })).toMatchObject({
    after: [[], ['first'], ['first'], ['g/task-0', 'g/task-1']],
  });
});

test.each([
  ['a group that is not there', { tasks: [{ group: 'h' }] }, '/tasks/0/group'],
  ['a group that is used twice', { tasks: [{ group: 'g' }, { group: 'g' }] }, '/tasks/1/group'],
  ['a group with a command', { tasks: [{ group: 'g', command: 'x' }] }, '/tasks/0/group'],
  ['a group in itself', { groups: [group('g', { tasks: [{ group: 'g' }] })] }, '/groups/0'],
  ['a group that waits for itself', { groups: [group('g', { depends_on: ['g'] })] }, '/groups/0'],
  ['two groups of one name', { groups: [group('g'), group('g')] }, '/groups/1/name'],
  ['a task without resources', { tasks: [one] }, '/tasks/0/resources'],
  ['no task at all', { groups: [] }, '/tasks'],
])('%s is refused', (_, spec, pointer) => {
  const result = grouped({ groups: [group('g')], ...spec });
  const pointers = 'pointers' in result ? result.pointers : [];
  expect(
    pointers.some((at) => at.startsWith(pointer)),
    JSON.stringify(result),
  ).toBe(true);
});

const node = { type: 'node', count: 1 };

function command(value: unknown): Read {
  return read({ version: 1, resources: { r: node }, tasks: [{ command: value, resources: 'r' }] });
}

test('a script is run by the interpreter that it names', () => {
  const python = '#!/usr/bin/env python3\nprint(1)';
  expect(command(python)).toMatchObject({
    bodies: [{ run: { process: { argv: ['/usr/bin/env', 'python3', '-c', python] } } }],
  });
  expect(command('echo one | cat')).toMatchObject({
    bodies: [{ run: { process: { argv: ['sh', '-c', 'echo one | cat'] } } }],
  });
  expect(command('#!/usr/bin/perl\nprint 1')).toMatchObject({ pointers: ['/tasks/0/command'] });
});

test('what is below a node is asked of each node, as often as it is there', () => {
  const socket = { type: 'socket', count: 2, with: [{ type: 'core', count: 4 }] };
  const resources = { r: { type: 'node', count: 3, with: [socket, { type: 'gpu', count: 1 }] } };
  const result = read({ version: 1, resources, tasks: [{ command: ['mpi'], resources: 'r' }] });
  expect(result).toMatchObject({
    bodies: [{ chunks: 3, resources: { cores: 8, gpus: 1 }, placement: { nodes: 3 } }],
  });
});
