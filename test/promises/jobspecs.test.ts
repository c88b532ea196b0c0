import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { jobBodySchema } from '../../core/contract/job-body.ts';
import { jobsOf } from '../../core/contract/jobspec/job-bodies.ts';
import { jobspecSchema } from '../../core/contract/jobspec/jobspec-schema.ts';
import { planJobspec } from '../../core/contract/jobspec/plan-jobspec.ts';
import { checkBody } from '../../core/contract/validation.ts';
import { mismatchOf } from '../../core/scheduler/matching.ts';
import { makeEdge, makeSpec } from '../core/cell-fixture.ts';
import { onHosts } from '../core/contract/jobspec/planned.ts';
import { readSample } from '../read-sample.ts';

/** Jobspecs that other schedulers' users have lying around: see `samples/README.md`. */

type Read =
  | { readonly bodies: readonly Record<string, unknown>[]; readonly after: readonly string[][] }
  | { readonly pointers: readonly string[]; readonly said: string };

function read(document: unknown): Read {
  const checked = checkBody(jobspecSchema, document);
  if (!checked.ok) return refusal(checked.errors);
  const planned = planJobspec(checked.value);
  if (!planned.ok) return refusal(planned.errors);
  const tasks = jobsOf(planned.plan, onHosts);
  for (const { body } of tasks) {
    expect(checkBody(jobBodySchema, body)).toMatchObject({ ok: true });
  }
  return { bodies: tasks.map(({ body }) => body), after: tasks.map(({ after }) => [...after]) };
}

function refusal(errors: readonly { pointer: string; message: string }[]): Read {
  const said = errors.map(({ message }) => message).join(' ');
  return { pointers: errors.map(({ pointer }) => pointer), said };
}

function file(name: string): unknown {
  return parse(readSample(`${name}.yaml`));
}

function bodies(name: string): readonly Record<string, unknown>[] {
  const result = read(file(name));
  if ('pointers' in result) throw new Error(`${result.pointers.join(' ')}: ${result.said}`);
  return result.bodies;
}

test('the hello world: two tasks of four cores, on hosts that say what they are', () => {
  const requires = { expressions: [{ key: 'facts.cpu.target', op: '=', value: 'amd64' }] };
  const [one, two] = bodies('jobspec-nextgen/hello-world-jobspec');
  expect(one).toMatchObject({ name: 'task-1', chunks: 1, resources: { cores: 4 }, requires });
  expect(two).toMatchObject({ name: 'task-2', run: { process: { timeoutSeconds: null } } });
});

test.each([
  ['jobspec-nextgen/depends_on/jobspec', [[], ['task-1']]],
  ['spack-experiment/jobspec-spack', [[], ['build']]],
])('%s: the second task waits for the first', (name, after) => {
  expect(read(file(name))).toMatchObject({ after });
});

test('spack: what is installed on ten cores is run on ten cores', () => {
  const [build, ior] = bodies('spack-experiment/jobspec-spack');
  expect(build).toMatchObject({
    resources: { cores: 10 },
    run: { process: { argv: ['spack', 'install', 'ior'] } },
  });
  const script = 'spack load ior\nior -b 10g -O summaryFormat=json\n';
  expect(ior).toMatchObject({ run: { process: { argv: ['bash', '-c', script] } } });
});

test.each([
  ['rainbow/range/jobspec-valid-range', true],
  ['rainbow/range/jobspec-invalid-range', false],
])('%s: two slots of two cores, where the version is within the range', (name, fits) => {
  const [body] = bodies(name);
  expect(body).toMatchObject({ chunks: 2, resources: { cores: 2 }, placement: { nodes: null } });
  const { expressions } = body!.requires as { expressions: never[] };
  const spec = makeSpec({ requires: { labels: {}, expressions, edges: [] } });
  const edge = makeEdge('edge-1', { flat: { 'software.spack': '0.5.2' } });
  expect(mismatchOf(edge, spec) === null).toBe(fits);
});

test.each([
  ['a misspelt field', 'rainbow/scheduler/jobspec-io', '/task'],
  [
    'requirements that are no list',
    'jobspec-nextgen/flux/jobspec',
    '/resources/single-node/requires',
  ],
  ['the format of before', 'spack-experiment/older-jobspecs/fractal-amd-jobspec', '/resources'],
])('%s: refused with its place, never ignored', (_, name, pointer) => {
  const result = read(file(name));
  expect('pointers' in result ? result.pointers : result).toContain(pointer);
});

test('a group as a task runs in its place, as one job', () => {
  const [one, two] = bodies('jobspec-nextgen/task-with-group');
  expect([one!.labels, two!.labels]).toEqual([
    { 'jobspec/task': 'task-1' },
    { 'jobspec/task': 'task-2' },
  ]);
  expect(two).toMatchObject({ name: 'task-2', chunks: 1 });
});

test('a group within a group: one allocation inside of another', () => {
  const [body, ...others] = bodies('jobspec-nextgen/group-with-group');
  expect([body!.name, others]).toEqual(['group-1', []]);
  const { argv } = (body!.run as { process: { argv: string[] } }).process;
  expect(argv[2]).toContain('Starting task 1 in group 2');
});

test('machine learning: the simulation is one group, training is in it, and twenty tests', () => {
  const [body, ...others] = bodies('jobspec-nextgen/machine-learning');
  expect(others).toEqual([]);
  expect(body).toMatchObject({ name: 'mini-mummi', resources: { cores: 4, gpus: 2 } });
  const { argv } = (body!.run as { process: { argv: string[] } }).process;
  expect(argv[2]).toContain('EDGEWISE_CHUNKS=20');
});

test('parameters of a selection, and what is asked of a whole cluster, are taken', () => {
  expect(bodies('rainbow/scheduler/jobspec-constraint')).toMatchObject([
    { chunks: 2, resources: { cores: 2 } },
  ]);
  expect(bodies('jobspec-nextgen/subsystems/jobspec-spack-subystem-satisfied').length).toBe(1);
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
    after: [[], ['first'], ['middle']],
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
  const perl = '#!/usr/bin/perl\nprint 1';
  expect(command(perl)).toMatchObject({
    bodies: [{ run: { process: { argv: ['/usr/bin/perl', '-e', perl] } } }],
  });
  const other = command('#!/usr/bin/env awk -f\nBEGIN { print 1 }');
  expect(JSON.stringify(other)).toContain('"/usr/bin/env","awk","-f"]');
  expect(command('#!\nprint 1')).toMatchObject({ pointers: ['/tasks/0/command'] });
});

test('what is below a node is asked of each node, as often as it is there', () => {
  const socket = { type: 'socket', count: 2, with: [{ type: 'core', count: 4 }] };
  const resources = { r: { type: 'node', count: 3, with: [socket, { type: 'gpu', count: 1 }] } };
  const result = read({ version: 1, resources, tasks: [{ command: ['mpi'], resources: 'r' }] });
  expect(result).toMatchObject({
    bodies: [{ chunks: 3, resources: { cores: 8, gpus: 1 }, placement: { nodes: 3 } }],
  });
});
