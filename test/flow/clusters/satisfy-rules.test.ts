import { afterAll, beforeAll, expect, test } from 'vitest';
import { sample } from '../../core/graph/graph-fixture.ts';
import { type ProcessCluster, processCluster } from './process-cluster.ts';
import { graphOf, type RulesStage, startRules, times } from './rules-stage.ts';

/**
 * Who has what is asked for: each rule by a question and its answer, asked twice, with a kill -9 of
 * everything in between. Of the answers nothing may be kept in a process.
 */
let stage: RulesStage;
let host: ProcessCluster;

beforeAll(async () => {
  stage = await startRules();
  const { register, expecting } = stage;
  host = processCluster(stage.product, 'host', 'farm');
  host.start();
  await register('keebler', 'bakery', { nodes: sample('cluster-nodes') });
  for (const [name, graph] of [
    ['io', sample('cluster-io-subsystem')],
    ['spack', sample('spack-subsystem')],
    ['words', words],
  ] as const) {
    await expecting(201, 'PUT', `/v1/edges/keebler/subsystems/${name}`, graph);
  }
  await register('grid', 'grids', { nodes: grid });
  await register('cloud', 'limits', { nodes: { limits: { nodes: 64, coresPerNode: 96 } } });
  await stage.product.untilConnected(1);
}, 180_000);
afterAll(() => stage.product.remove());

/** A rack of two nodes with two sockets of eight cores each; one node has two accelerators. */
const socket = { type: 'socket', below: [{ type: 'core', size: 8 }] };
const bare = { type: 'node', below: times(2, socket) };
const full = { type: 'node', below: [...times(2, socket), { type: 'gpu', size: 2 }] };
const grid = graphOf({ type: 'cluster', below: [{ type: 'rack', below: [bare, full] }] });

/** Attached to one node of the sample, and not to the others. */
const words = {
  graph: {
    nodes: {
      root: { metadata: { type: 'words' } },
      w: { metadata: { type: 'word', release: 'abc', level: 7, attributes: { kind: 'odd' } } },
    },
    edges: [
      { source: 'root', target: 'w', relation: 'contains' },
      { source: '2', target: 'w', relation: 'contains' },
    ],
  },
};

type Resource = Record<string, unknown>;
const core = (count: number): Resource => ({ type: 'core', count });
const node = (count: number, ...below: Resource[]): Resource => ({
  type: 'node',
  count,
  ...(below.length === 0 ? {} : { with: below }),
});
const needs = (...requires: object[]): Resource => ({ type: 'node', count: 1, requires });
const yes = (slots: number) => ({ matches: true, slots });
const no = (reason: string, detail?: RegExp) => ({
  matches: false,
  reason,
  ...(detail === undefined ? {} : { detail: expect.stringMatching(detail) }),
});
const spack = (more: object) => needs({ name: 'spack', field: 'version', ...more });
const word = (more: object) => needs({ name: 'words', field: 'release', ...more });

type Question = readonly [what: string, pool: string, resource: Resource, answer: object];

const questions: readonly Question[] = [
  ['what is there in total', 'bakery', node(3, core(12)), yes(1)],
  ['too many in total', 'bakery', core(37), no('not-enough-core', /37 of core needed, 36 there/)],
  ['a type that is not there', 'bakery', node(1, { type: 'gpu', count: 1 }), no('no-gpu')],
  ['a count is of each parent', 'bakery', node(2, core(13)), no('not-enough-slots')],
  [
    'plural is the singular',
    'bakery',
    { type: 'nodes', with: [{ type: 'cores', count: 12 }] },
    yes(3),
  ],
  ['levels are skipped', 'grids', node(1, core(16)), yes(2)],
  ['slots are disjoint', 'grids', { type: 'node', replicas: 2, with: [core(16)] }, yes(1)],
  ['a slot of nodes needs nodes', 'bakery', { type: 'node', replicas: 4 }, no('not-enough-node')],
  ['a slot is nothing itself', 'bakery', { type: 'slot', replicas: 9, with: [core(4)] }, yes(1)],
  [
    'a slot too many',
    'bakery',
    { type: 'slot', replicas: 10, with: [core(4)] },
    no('not-enough-core'),
  ],
  ['siblings are totals', 'grids', { type: 'rack', with: [node(2), core(32)] }, yes(1)],
  ['a container must be there', 'limits', { type: 'rack', with: [node(1)] }, no('no-rack')],
  ['limits are nodes', 'limits', node(64, core(96)), yes(1)],
  ['no more than the limits', 'limits', node(65), no('not-enough-node')],
  ['both at one node', 'grids', node(2, { type: 'gpu', count: 1 }), no('not-enough-slots')],
  ['an exclusive node', 'grids', { ...node(1, core(1)), exclusive: true }, yes(2)],
  ['equal texts', 'bakery', needs({ name: 'io', field: 'type', match: 'shm' }), yes(3)],
  [
    'another text',
    'bakery',
    needs({ name: 'io', field: 'type', match: 'tape' }),
    no('requirement-not-met', /tape/),
  ],
  ['value is match', 'bakery', needs({ name: 'io', field: 'type', value: 'shm' }), yes(3)],
  ['a number is its text', 'bakery', needs({ name: 'words', field: 'level', match: '7' }), yes(1)],
  ['the field is there', 'bakery', needs({ name: 'words', field: 'level' }), yes(1)],
  [
    'the field is not there',
    'bakery',
    needs({ name: 'words', field: 'colour' }),
    no('requirement-not-met'),
  ],
  [
    'nobody speaks of it',
    'bakery',
    needs({ name: 'tape', field: 'type' }),
    no('subsystem-missing'),
  ],
  ['both ends of a range', 'bakery', spack({ min: '0.5.2', max: '0.5.2' }), yes(3)],
  ['below a range', 'bakery', spack({ min: '0.5.3' }), no('requirement-not-met', /0\.5\.2/)],
  ['no version is in no range', 'bakery', word({ max: '9.9.9' }), no('requirement-not-met', /abc/)],
  ['an attribute', 'bakery', word({ match: 'abc', attribute: 'kind', value: 'odd' }), yes(1)],
  [
    'another attribute',
    'bakery',
    word({ match: 'abc', attribute: 'kind', value: 'even' }),
    no('requirement-not-met'),
  ],
  [
    'all must hold',
    'bakery',
    needs({ name: 'io', field: 'type', match: 'shm' }, { name: 'words', field: 'colour' }),
    no('requirement-not-met'),
  ],
  [
    'each on its own',
    'bakery',
    needs(
      { name: 'io', field: 'type', match: 'shm' },
      { name: 'io', field: 'type', match: 'nvme' },
    ),
    yes(3),
  ],
  [
    'nobody says so',
    'bakery',
    needs({ name: 'tape', field: 'type', match: 'x' }),
    no('subsystem-missing', /neither a subsystem tape nor a fact/),
  ],
  [
    'attached below is enough',
    'bakery',
    { type: 'rack', requires: [{ name: 'words', field: 'level' }] },
    yes(1),
  ],
  ['hosts are a cluster of their pool', 'farm', node(1, core(1)), { name: 'farm', matches: true }],
  ['facts are its system', 'farm', needs({ name: 'system', field: 'os.name' }), { matches: true }],
  [
    'other facts',
    'farm',
    needs({ name: 'system', field: 'arch', match: 'vax' }),
    no('requirement-not-met', /vax/),
  ],
  ['no host has nodes of a group', 'farm', node(2), no('not-enough-node')],
];

const jobspecOf = (resources: Record<string, Resource>) => ({
  version: 1,
  resources,
  tasks: Object.keys(resources).map((name) => ({ name, command: 'true', resources: name })),
});

async function askAll(): Promise<void> {
  for (const [what, pool, resource, answer] of questions) {
    const path = `/v1/jobspecs/satisfy?pool=${pool}`;
    const json = await stage.expecting(200, 'POST', path, jobspecOf({ r: resource }));
    expect(json.clusters, what).toMatchObject([answer]);
    const { matches } = json.clusters[0];
    expect([json.satisfied, json.totals], what).toEqual([
      matches,
      { clusters: 1, matches: matches ? 1 : 0, mismatches: matches ? 0 : 1 },
    ]);
    if (!matches) expect(json.clusters[0].at, what).toMatch(/^\/resources\/r/);
  }
}

test('each question has its answer, also after everything was killed', async () => {
  await askAll();
  await stage.killAndStart([host]);
  await stage.product.untilConnected(1);
  await askAll();
}, 240_000);

test('all resources of a jobspec are asked within one cluster; with schedule only those', async () => {
  const path = '/v1/jobspecs/satisfy?pool=grids';
  const both = { all: node(2, core(16)), gpu: node(1, { type: 'gpu', count: 2 }) };
  expect((await stage.expecting(200, 'POST', path, jobspecOf(both))).satisfied).toBe(true);
  const more = { ...both, gpu: node(1, { type: 'gpu', count: 3 }) };
  const refused = await stage.expecting(200, 'POST', path, jobspecOf(more));
  expect(refused.clusters[0]).toMatchObject({ reason: 'not-enough-gpu', at: '/resources/gpu' });
  const some = { ...more, all: { ...more.all, schedule: true } };
  expect((await stage.expecting(200, 'POST', path, jobspecOf(some))).satisfied).toBe(true);
});

test('the simple form is totals; a cluster of another pool cannot be named', async () => {
  const path = '/v1/jobspecs/satisfy?pool=bakery';
  const simple = (nodes: number, tasks: number) => ({
    simple: { nodes, tasks, command: 'hostname -f' },
  });
  expect((await stage.expecting(200, 'POST', path, simple(1, 36))).satisfied).toBe(true);
  expect((await stage.expecting(200, 'POST', path, simple(3, 37))).satisfied).toBe(false);
  const other = await stage.admin('POST', `${path}&clusters=grid`, simple(1, 1));
  expect([other.status, other.json.code]).toEqual([403, 'forbidden']);
});

test('live tells who takes nothing now; it needs jobs:read and stores nothing', async () => {
  const body = jobspecOf({ r: node(1) });
  const path = '/v1/jobspecs/satisfy?pool=grids';
  await stage.expecting(200, 'PATCH', '/v1/edges/grid', { cordoned: true, reason: 'new roof' });
  expect((await stage.expecting(200, 'POST', path, body)).satisfied).toBe(true);
  const live = await stage.expecting(200, 'POST', `${path}&live=true`, body);
  expect(live.clusters).toMatchObject([{ reason: 'edge-cordoned', detail: 'new roof' }]);
  await stage.expecting(200, 'PATCH', '/v1/edges/grid', { cordoned: false });
  const away = await stage.expecting(200, 'POST', `${path}&live=true`, body);
  expect(away.clusters).toMatchObject([{ reason: 'disconnected' }]);
  const reading = await stage.token({ scopes: ['jobs:read'] });
  expect((await stage.ask(reading, 'POST', path, body)).status).toBe(200);
  const other = await stage.token({ scopes: ['edges:read'] });
  expect((await stage.ask(other, 'POST', path, body)).status).toBe(403);
  expect((await stage.expecting(200, 'GET', '/v1/jobspecs?pool=grids')).items).toEqual([]);
  expect((await stage.expecting(200, 'GET', '/v1/jobs')).items).toEqual([]);
});

test('in whatever order it is written, the answer is the same', async () => {
  const resource = {
    type: 'rack',
    with: [node(2, core(8)), { type: 'gpu', count: 2 }],
    requires: [{ name: 'tape', field: 'type' }],
  };
  const turned = (value: unknown, by: number): unknown => {
    if (Array.isArray(value)) return value.map((it) => turned(it, by));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const at = by % entries.length;
    return Object.fromEntries(
      [...entries.slice(at), ...entries.slice(0, at)].map(([key, it]) => [key, turned(it, by + 1)]),
    );
  };
  const answers = new Set<string>();
  for (let by = 0; by < 50; by++) {
    const body = turned(jobspecOf({ r: resource, s: node(1) }), by);
    const { clusters } = await stage.expecting(
      200,
      'POST',
      '/v1/jobspecs/satisfy?pool=grids',
      body,
    );
    answers.add(JSON.stringify(clusters));
  }
  expect([...answers].length).toBe(1);
});

test('what cannot be meant is refused with its place, never skipped', async () => {
  const refused: readonly (readonly [object, string])[] = [
    [{ field: 'type', match: 'x' }, '/name'],
    [{ name: 'io', match: 'x' }, '/field'],
    [{ name: 'io', field: 'type', attribute: 'kind' }, '/attribute'],
    [{ name: 'io', field: 'type', match: { deep: 1 } }, '/match'],
    [{ name: 'io', field: 'type', matches: 'x' }, '/matches'],
  ];
  for (const [item, place] of refused) {
    const body = jobspecOf({ r: needs(item) });
    const { status, json } = await stage.admin('POST', '/v1/jobspecs/satisfy?pool=bakery', body);
    const pointers = json.errors.map(({ pointer }: { pointer: string }) => pointer);
    expect([status, pointers], place).toEqual([400, [`/resources/r/requires/0${place}`]]);
  }
});
