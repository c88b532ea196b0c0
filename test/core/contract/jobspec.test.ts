import { expect, test } from 'vitest';
import { translateJobspec } from '../../../core/contract/jobspec.ts';
import { jobspecSchema } from '../../../core/contract/jobspec-schema.ts';
import { checkBody } from '../../../core/contract/validation.ts';

const core = { type: 'core', count: 4 };
const node = { type: 'node', count: 1, with: [core] };
const task = (name: string, more: object = {}) => ({
  name,
  command: ['true'],
  resources: 'r',
  ...more,
});

function translate(spec: object) {
  const checked = checkBody(jobspecSchema, { version: 1, resources: { r: node }, ...spec });
  if (!checked.ok) return { errors: checked.errors };
  const translation = translateJobspec(checked.value);
  return translation.ok ? { tasks: translation.tasks } : { errors: translation.errors };
}

const places = (spec: object) => translate(spec).errors?.map((error) => error.pointer);

test('a task becomes a job with what its resources ask of one node', () => {
  const requires = [{ name: 'system', field: 'cpu.target', value: 'amd64' }];
  const attributes = { duration: '5m', cwd: '/srv', environment: { N: 3 } };
  const { tasks } = translate({
    resources: { r: { ...node, requires } },
    tasks: [task('one', { attributes, replicas: 3 })],
  });
  expect(tasks?.[0]?.body).toMatchObject({
    name: 'one',
    chunks: 3,
    resources: { cores: 4 },
    run: { process: { argv: ['true'], env: { N: '3' }, cwd: '/srv', timeoutSeconds: 300 } },
    requires: { expressions: [{ key: 'facts.cpu.target', op: '=', value: 'amd64' }] },
    placement: { nodes: null },
  });
});

test('several nodes become a gang', () => {
  const { tasks } = translate({ resources: { r: { ...node, count: 4 } }, tasks: [task('mpi')] });
  expect(tasks?.[0]?.body).toMatchObject({ chunks: 4, placement: { nodes: 4 } });
});

test('tasks come after those they depend on', () => {
  const { tasks } = translate({ tasks: [task('b', { depends_on: ['a'] }), task('a')] });
  expect(tasks?.map((it) => it.name)).toEqual(['a', 'b']);
});

test('what has no meaning here is refused with its place', () => {
  expect(places({ tasks: [task('a', { depends_on: ['a'] })] })).toEqual(['/tasks/0/depends_on']);
  expect(places({ tasks: [task('a', { depends_on: ['z'] })] })).toEqual(['/tasks/0/depends_on/0']);
  expect(places({ tasks: [task('a'), task('a')] })).toEqual(['/tasks/1/name']);
  expect(places({ tasks: [task('a', { resources: 'r|s' })] })).toEqual(['/tasks/0/resources']);
  expect(places({ tasks: [task('a', { resources: 's' })] })).toEqual(['/tasks/0/resources']);
  expect(places({ tasks: [] })).toEqual(['/tasks']);
  expect(places({ version: 2, tasks: [task('a')] })).toEqual(['/version']);
});

test('what is refused is named in words', () => {
  const { errors } = translate({
    version: 2,
    groups: [{ tasks: [task('b')], groups: [] }],
    requires: {},
    tasks: [task('a', { steps: [] })],
  });
  expect(errors?.map(({ message }) => message).sort()).toEqual([
    'Groups written inside of groups are not supported.',
    'Only version 1 is known.',
    'Requirements of subsystems are not supported.',
    'Steps are not supported.',
  ]);
  const said = (spec: object) => translate(spec).errors?.[0]?.message;
  expect(said({ tasks: [] })).toBe('A jobspec needs a task.');
  expect(said({ tasks: [task('a', { command: undefined })] })).toBe(
    'A task needs a command: a text or a list of texts.',
  );
});

test('a range of versions of a software becomes two comparisons', () => {
  const requires = [{ name: 'spack', field: 'version', min: '0.5.1', max: '0.5.5' }];
  const { tasks } = translate({ resources: { r: { ...node, requires } }, tasks: [task('a')] });
  expect(tasks?.[0]?.body.requires).toEqual({
    expressions: [
      { key: 'software.spack', op: '>=', value: '0.5.1' },
      { key: 'software.spack', op: '<=', value: '0.5.5' },
    ],
  });
});
