import { expect, test } from 'vitest';
import { bodiesOf, planned, planOf } from './planned.ts';

const core = { type: 'core', count: 4 };
const node = { type: 'node', count: 1, with: [core] };
const task = (name: string, more: object = {}) => ({
  name,
  command: ['true'],
  resources: 'r',
  ...more,
});

const withNode = (spec: object) => ({ resources: { r: node }, ...spec });
const bodies = (spec: object) => bodiesOf(withNode(spec));
const translate = (spec: object) => planned(withNode(spec));

const places = (spec: object) => translate(spec).errors?.map((error) => error.pointer);

test('a task becomes a job with what its resources ask of one node', () => {
  const requires = [{ name: 'system', field: 'cpu.target', value: 'amd64' }];
  const attributes = { duration: '5m', cwd: '/srv', environment: { N: 3 } };
  const [body] = bodies({
    resources: { r: { ...node, requires } },
    tasks: [task('one', { attributes, replicas: 3 })],
  });
  expect(body).toMatchObject({
    name: 'one',
    chunks: 3,
    resources: { cores: 4 },
    run: { process: { argv: ['true'], env: { N: '3' }, cwd: '/srv', timeoutSeconds: 300 } },
    requires: { expressions: [{ key: 'facts.cpu.target', op: '=', value: 'amd64' }] },
    placement: { nodes: null },
  });
});

test('several nodes become a gang', () => {
  const [body] = bodies({ resources: { r: { ...node, count: 4 } }, tasks: [task('mpi')] });
  expect(body).toMatchObject({ chunks: 4, placement: { nodes: 4 } });
});

test('tasks come after those they depend on', () => {
  const { units } = planOf(withNode({ tasks: [task('b', { depends_on: ['a'] }), task('a')] }));
  expect(units.map((it) => it.name)).toEqual(['a', 'b']);
});

test('what has no meaning here is refused with its place', () => {
  expect(places({ tasks: [task('a', { depends_on: ['a'] })] })).toEqual(['/tasks/0/depends_on/0']);
  expect(places({ tasks: [task('a', { depends_on: ['z'] })] })).toEqual(['/tasks/0/depends_on/0']);
  expect(places({ tasks: [task('a'), task('a')] })).toEqual(['/tasks/1/name']);
  expect(places({ tasks: [task('a', { resources: 'r|s' })] })).toEqual(['/tasks/0/resources']);
  expect(places({ tasks: [task('a', { resources: 'r,r' })] })).toEqual(['/tasks/0/resources']);
  expect(places({ tasks: [task('a', { resources: 's' })] })).toEqual(['/tasks/0/resources']);
  expect(places({ tasks: [] })).toEqual(['/tasks']);
  expect(places({ version: 2, tasks: [task('a')] })).toEqual(['/version']);
});

const sentences = (spec: object) => translate(spec).errors?.map(({ message }) => message);

test('what is refused is named in words, all of it at once', () => {
  expect(sentences({ tasks: [] })).toEqual(['A jobspec needs a task.']);
  expect(sentences({ tasks: [task('a', { command: undefined })] })).toEqual([
    'A task needs a command: a text or a list of texts.',
  ]);
  expect(sentences({ tasks: [task('x', { depends_on: ['x'] })] })).toEqual([
    '"x" waits for itself.',
  ]);
  const circle = [task('aa', { depends_on: ['bb'] }), task('bb', { depends_on: ['aa'] })];
  expect(sentences({ tasks: circle })).toEqual(['"aa" and "bb" wait for each other.']);
  const wrong = [
    task('build', { depends_on: ['biuld'], resources: 's' }),
    task('test', { depends_on: ['buid'], local: true }),
    { group: 'g' },
  ];
  expect(sentences({ tasks: wrong })).toEqual([
    'There is no group "g" here.',
    'The resources "s" are not among those that are listed.',
    'Only a task of a group can be local: it runs where its group is.',
    'There is no task "biuld" to wait for. Did you mean "build"?',
    'There is no task "buid" to wait for. Did you mean "build"?',
  ]);
});

test('no more mistakes are reported than somebody would read', () => {
  const tasks = Array.from({ length: 80 }, (_, at) => task(`t${at}`, { resources: 'none' }));
  expect(sentences({ tasks })?.length).toBe(50);
});

const group = (name: string, more: object = {}) => ({
  name,
  resources: 'r',
  tasks: [{ command: 'true' }],
  ...more,
});

test('durations: a number is seconds, and a part is never longer than the whole', () => {
  const tasks = (duration: unknown) => [task('a', { attributes: { duration } })];
  for (const [duration, seconds] of [
    ['300s', 300],
    ['5m', 300],
    [300, 300],
    ['2h', 7200],
    ['1d', 86400],
    [0, null],
  ]) {
    expect(bodies({ tasks: tasks(duration) })[0].run.process.timeoutSeconds).toBe(seconds);
  }
  expect(sentences({ tasks: tasks('6m'), attributes: { duration: '5m' }, name: 'all' })).toEqual([
    'Task "a" may take 360 s, longer than "all", which has 300 s.',
  ]);
  const inner = { command: 'true', name: 'in', attributes: { duration: 90 } };
  const groups = [group('g', { attributes: { duration: '1m' }, tasks: [inner] })];
  expect(places({ groups })).toEqual(['/groups/0/tasks/0/attributes/duration']);
});

test('attributes: the innermost wins, environments are merged name by name', () => {
  const environment = (of: string) => ({ environment: { [of]: of, WHO: of } });
  const resources = { r: { ...node, attributes: { ...environment('resource'), cwd: '/r' } } };
  const [body] = bodies({
    resources,
    attributes: { ...environment('document'), cwd: '/d' },
    tasks: [task('a', { attributes: environment('task') })],
  });
  expect(body.run.process).toMatchObject({
    cwd: '/r',
    env: { document: 'document', resource: 'resource', task: 'task', WHO: 'task' },
  });
});

test('a group is one job of what it holds, and who waits for it waits for all of it', () => {
  const tasks = [
    task('first'),
    { group: 'g', depends_on: ['first'] },
    task('last', { depends_on: ['g'] }),
  ];
  const { units } = planOf(withNode({ tasks, groups: [group('g')] }));
  expect(units.map(({ name, after }) => [name, after])).toEqual([
    ['first', []],
    ['g', ['first']],
    ['last', ['g']],
  ]);
  const [, body] = bodies({ tasks, groups: [group('g')] });
  expect(body).toMatchObject({
    chunks: 1,
    resources: { cores: 4 },
    labels: { 'jobspec/task': 'g' },
  });
});

test.each([
  ['twice', { tasks: [{ group: 'g' }, { group: 'g' }] }, 'used twice; before at /tasks/0/group'],
  ['in itself', { groups: [group('g', { tasks: [{ group: 'g' }] })] }, 'a part of itself: "g"'],
  ['with a command', { tasks: [{ group: 'g', command: 'x' }] }, 'and nothing else'],
  [
    'with too large a task',
    { groups: [group('g', { tasks: [task('a', { resources: 'big' })] })] },
    'needs more than its group "g" holds: 1 node with 8 core of 1 node with 4 core',
  ],
])('a group %s is refused', (_, spec, said) => {
  const resources = { r: node, big: { ...node, with: [{ type: 'core', count: 8 }] } };
  expect(sentences({ resources, groups: [group('g')], ...spec })?.join(' ')).toContain(said);
});

test('a nested group is known where it is written, and no further out', () => {
  const outer = group('outer', { groups: [group('inner')], tasks: [{ group: 'inner' }] });
  expect(places({ groups: [outer] })).toBeUndefined();
  expect(places({ groups: [outer], tasks: [{ group: 'inner' }] })).toEqual(['/tasks/0/group']);
});

test('slots: replicas at any depth are as many runs, each in its own', () => {
  const within = (resource: object) =>
    bodies({ resources: { r: resource }, tasks: [task('a', { replicas: 2 })] })[0];
  const slots = { type: 'slot', replicas: 3, with: [core] };
  expect(within(slots)).toMatchObject({ chunks: 6, resources: { cores: 4 } });
  expect(within({ type: 'node', count: 2, with: [slots] })).toMatchObject({ chunks: 12 });
  expect(within({ type: 'node', replicas: 5 })).toMatchObject({ chunks: 10, resources: {} });
  expect(within({ type: 'node', count: 4 })).toMatchObject({ chunks: 8, placement: { nodes: 4 } });
});

test('on a cluster a run is one chunk of everything, for the scheduler that is there', () => {
  const to = { kind: 'cluster', edge: 'blue', executor: 'slurm' } as const;
  const spec = withNode({
    resources: { r: { ...node, count: 2, exclusive: true } },
    tasks: [task('a')],
  });
  const [body] = bodiesOf(spec, { to, chosen: new Map() });
  expect(body).toMatchObject({
    chunks: 1,
    resources: { nodes: 2, cores: 8 },
    requires: { edges: ['blue'], expressions: [] },
    placement: { nodes: null },
    run: { slurm: { options: ['--ntasks-per-node=1', '--cpus-per-task=4', '--exclusive'] } },
  });
});

test.each([
  ['unit', { ...node, unit: 'parsec' }, '/resources/r/unit'],
  ['exclusive', { type: 'core', exclusive: true }, '/resources/r/exclusive'],
  ['count and replicas', { ...node, replicas: 2 }, '/resources/r/replicas'],
  [
    'requires without a name',
    { ...node, requires: [{ field: 'x' }] },
    '/resources/r/requires/0/name',
  ],
  ['requires as a map', { ...node, requires: { io: {} } }, '/resources/r/requires'],
  [
    'an attribute without a value',
    { ...node, requires: [{ name: 'a', field: 'b', attribute: 'c' }] },
    '/resources/r/requires/0/attribute',
  ],
])('%s that makes no sense is refused, never ignored', (_, resource, pointer) => {
  expect(places({ resources: { r: resource }, tasks: [task('a')] })).toContain(pointer);
});

test('a range of versions of a software becomes two comparisons', () => {
  const requires = [{ name: 'spack', field: 'version', min: '0.5.1', max: '0.5.5' }];
  const [body] = bodies({ resources: { r: { ...node, requires } }, tasks: [task('a')] });
  expect(body.requires).toEqual({
    edges: [],
    expressions: [
      { key: 'software.spack', op: '>=', value: '0.5.1' },
      { key: 'software.spack', op: '<=', value: '0.5.5' },
    ],
  });
});

test('a requirement beyond what a match can tell apart is refused with its place', () => {
  const some = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ name: 'io', field: `f${at}` }));
  const tasks = [{ command: 'true', resources: 'r' }];
  const asked = (own: number, inner: number) => {
    const below = { ...core, requires: some(inner) };
    return planned({ resources: { r: { ...node, requires: some(own), with: [below] } }, tasks });
  };
  expect(asked(20, 10).errors).toBeNull();
  expect(asked(20, 11).errors).toEqual([
    {
      pointer: '/resources/r/with/0/requires/10',
      message: 'A resource has at most 30 requirements, those of what lies in it included.',
    },
  ]);
});
