import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../start/stage.ts';
import type { Said } from './cluster-program.ts';
import { equalNodes } from './process-cluster.ts';
import { type RulesStage, startRules } from './rules-stage.ts';

/** Which of the clusters that match: each rule over HTTP, also after a kill -9 of everything. */
let stage: RulesStage;
const secrets = new Map<string, string>();
const submitTokens = new Map<string, string>();

const states: Readonly<Record<string, object>> = {
  azure: { cost: 3, free: 20, memory: 200, zone: 'north', 'cost-per-node': 2, at: 'dock' },
  blue: { cost: 1, free: 0, memory: 50, zone: 'south', 'cost-per-node': 3, at: 9 },
  coral: { cost: 2, free: 5, memory: 90, 'cost-per-node': 1, at: 10 },
};

beforeAll(async () => {
  stage = await startRules();
  for (const [name, state] of Object.entries(states)) {
    const sizes = { azure: 2, blue: 3, coral: 4 };
    const nodes = equalNodes(sizes[name as keyof typeof sizes], { core: 4 });
    const made = await stage.register(name, 'hpc', { nodes });
    secrets.set(name, made.secret);
    submitTokens.set(name, made.submitToken);
    const path = `/v1/edges/${name}/state`;
    expect((await stage.ask(made.secret, 'PUT', path, state)).status).toBe(200);
  }
}, 120_000);
afterAll(() => stage.product.remove());

const jobspec = (nodes = 1, more: object = {}) => ({
  version: 1,
  resources: { r: { type: 'node', count: nodes, with: [{ type: 'core', count: 4 }] } },
  tasks: [{ name: 'one', command: ['true'], resources: 'r' }],
  attributes: { parameter: { seconds_per_gb: 0.4, memory: 1_000 } },
  ...more,
});
const submit = (more: object = {}, query = '?pool=hpc'): Promise<Said> =>
  stage.admin('POST', `/v1/jobspecs${query}`, { jobspec: jobspec(), ...more });
const steps = (...all: object[]) => ({
  select: { algorithm: 'constraint', priorities: [{ priority: 1, steps: all }] },
});

/** The cluster, or the code of the refusal. */
async function chosen(more: object): Promise<string> {
  const { json } = await submit(more);
  return json.cluster ?? json.code;
}

/** True where the cost is two. */
const allFunctions =
  'round(cost / 2 - 0.1) == 1 && ceil(cost / 2) == floor(cost / 2) && max(cost, 7 % 4) == abs(-3)';

const rules: readonly (readonly [what: string, asked: object, answer: string])[] = [
  ['the freest, of what is scarcest', {}, 'coral'],
  ['the first by name', { select: { algorithm: 'first' } }, 'azure'],
  ['only those that are named', { clusters: ['blue'] }, 'blue'],
  ['smallest first', steps({ sort_ascending: 'cost' }, { select: 'first' }), 'blue'],
  ['without a word the first', steps({ sort_ascending: 'cost' }), 'blue'],
  ['largest first', steps({ sort_descending: 'cost' }), 'azure'],
  ['the last', steps({ sort_ascending: 'cost' }, { select: 'last' }), 'azure'],
  ['numbers before texts', steps({ sort_ascending: 'at' }, { select: 'last' }), 'azure'],
  ['as numbers, not as texts', steps({ sort_ascending: 'at' }), 'blue'],
  ['who has none is last', steps({ sort_ascending: 'zone' }, { select: 'last' }), 'coral'],
  ['and last the other way, too', steps({ sort_descending: 'zone' }, { select: 'last' }), 'coral'],
  [
    'equal ones stay as they were',
    steps({ calc: 'x=1' }, { sort_descending: 'cost' }, { sort_ascending: 'x' }),
    'azure',
  ],
  [
    'who lacks a name is out',
    steps({ filter: 'zone != "west"' }, { sort_ascending: 'free' }),
    'blue',
  ],
  ['a name that nobody has', steps({ filter: 'constructor != 1' }), 'no-cluster-selected'],
  ['all functions', steps({ filter: allFunctions }, { sort_descending: 'cost' }), 'coral'],
  ['a filter', steps({ filter: 'free > 0' }, { sort_ascending: 'cost' }), 'coral'],
  [
    'numbers, texts and missing last',
    steps({ sort_descending: 'zone' }, { select: 'last' }),
    'coral',
  ],
  ['and, or, not', steps({ filter: '!(free == 0) && (cost > 2 || zone == "south")' }), 'azure'],
  ['a function', steps({ filter: 'min(100, memory - 100) == 100' }), 'azure'],
  ['calculated at the first =', steps({ calc: 'x=cost==2' }, { filter: 'x' }), 'coral'],
  [
    'calculated again',
    steps({ calc: 'a=cost*2' }, { calc: 'b = a % 4' }, { filter: 'b == 0' }),
    'coral',
  ],
  ['state comes before parameters', steps({ filter: 'memory == 90' }), 'coral'],
  ['a parameter by its whole name', steps({ filter: 'parameter.memory > 999' }), 'azure'],
  ['a state by its whole name', steps({ filter: 'state.zone == "south"' }), 'blue'],
  ['names in back-quotes', steps({ sort_ascending: '`cost-per-node`' }), 'coral'],
  [
    'who has no such figure is out',
    steps({ filter: 'zone != "nowhere"' }, { sort_ascending: 'cost' }),
    'blue',
  ],
  ['a division by nothing is out', steps({ calc: 'x=10/free' }, { sort_descending: 'x' }), 'coral'],
  ['a text is no number', steps({ calc: 'x=zone*2' }), 'no-cluster-selected'],
  ['nobody is left', steps({ filter: 'free > 99' }), 'no-cluster-selected'],
  ['nobody has it', { jobspec: jobspec(9) }, 'unsatisfiable'],
];

async function askAll(): Promise<void> {
  for (const [what, asked, answer] of rules) expect(await chosen(asked), what).toBe(answer);
}

test('each rule has its answer, also after everything was killed', async () => {
  await askAll();
  await stage.killAndStart([]);
  await askAll();
}, 240_000);

test('a priority that leaves nobody hands over to the next, by number, from all again', async () => {
  const priorities = [
    { priority: 2, steps: [{ calc: 'x=1' }, { sort_ascending: 'cost' }, { select: 'first' }] },
    { priority: 1, steps: [{ filter: 'free > 5' }, { filter: 'free < 20' }] },
  ];
  const { json } = await submit({ select: { algorithm: 'constraint', priorities } });
  expect(json).toMatchObject({
    cluster: 'blue',
    totals: { clusters: 3, matches: 3, mismatches: 0 },
    selection: {
      algorithm: 'constraint',
      priority: 2,
      candidates: 3,
      excluded: [
        { cluster: 'blue', priority: 1, step: 0, reason: 'free is 0' },
        { cluster: 'coral', priority: 1, step: 0, reason: 'free is 5' },
        { cluster: 'azure', priority: 1, step: 1, reason: 'free is 20' },
      ],
    },
  });
  expect(json.jobs).toMatchObject([
    { task: 'one', job: { spec: { requires: { edges: ['blue'] } } } },
  ]);
});

test('the figures of the example: what building costs by one priority and by the other', async () => {
  const state = { cost_per_node_hour: 3, nodes_free: 20, memory_per_node: 200 };
  const token = secrets.get('azure')!;
  expect((await stage.ask(token, 'PUT', '/v1/edges/azure/state', state)).status).toBe(200);
  const cost = (memory: string) => ({
    calc: `build_cost=(cost_per_node_hour * (${memory} * seconds_per_gb)/60/60)`,
  });
  const near = (value: number) => ({ filter: `abs(build_cost - ${value}) < 0.0001` });
  const least = { calc: 'memory_min=min(100, memory_per_node - 100)' };
  expect(await chosen(steps(cost('memory_per_node'), near(0.0667)))).toBe('azure');
  expect(
    await chosen(steps(least, { filter: 'memory_min == 100' }, cost('memory_min'), near(0.0333))),
  ).toBe('azure');
});

test('what cannot be said is refused at submit, with its place', async () => {
  const at = '/select/priorities/0/steps/0';
  const deep = `${'('.repeat(200)}1${')'.repeat(200)}`;
  const nine = Array.from({ length: 9 }, (_, priority) => ({ priority, steps: [] }));
  const wrong: readonly (readonly [object, string])[] = [
    [steps({ filter: 'free >' }), `${at}/filter`],
    [steps({ filter: `"${'x'.repeat(300)}"` }), `${at}/filter`],
    [steps({ filter: deep }), `${at}/filter`],
    [steps({ calc: 'no sign' }), `${at}/calc`],
    [steps({ filter: 'process.exit(1)' }), `${at}/filter`],
    [{ select: { algorithm: 'luck' } }, '/select/algorithm'],
    [{ select: { algorithm: 'constraint', priorities: nine } }, '/select/priorities'],
    [{ select: { algorithm: 'constraint' } }, '/select/priorities'],
    [
      steps(...Array.from({ length: 33 }, () => ({ filter: 'true' }))),
      '/select/priorities/0/steps',
    ],
  ];
  for (const [asked, pointer] of wrong) {
    const { status, json } = await submit(asked);
    expect([status, json.errors?.[0].pointer], JSON.stringify(asked).slice(0, 90)).toEqual([
      400,
      pointer,
    ]);
  }
});

test('by lot: any of them, and the same again from the same submission', async () => {
  const found = new Set<string>();
  for (let at = 0; at < 40 && found.size < 3; at++) {
    const { json } = await submit({ select: { algorithm: 'random' } });
    found.add(json.cluster);
    const again = await stage.expecting(200, 'POST', `/v1/jobspecs/${json.id}/explain`);
    expect(again.selection.cluster).toBe(json.cluster);
  }
  expect([...found].sort()).toEqual(['azure', 'blue', 'coral']);
});

test('by lot among those that steps leave, and the same again from the same submission', async () => {
  const asked = steps({ filter: 'free > 0' }, { select: 'random' });
  const found = new Set<string>();
  for (let at = 0; at < 40 && found.size < 2; at++) {
    const { json } = await submit(asked);
    found.add(json.cluster);
    const again = await stage.expecting(200, 'POST', `/v1/jobspecs/${json.id}/explain`);
    expect(again.selection.cluster).toBe(json.cluster);
  }
  expect([...found].sort()).toEqual(['azure', 'coral']);
});

test('asking only stores nothing; nobody stores nothing, and says why of each', async () => {
  const before = (await stage.expecting(200, 'GET', '/v1/jobspecs?pool=hpc&limit=1')).items;
  const only = await submit({ satisfyOnly: true });
  expect([only.status, Object.keys(only.json).sort()]).toEqual([
    200,
    ['clusters', 'satisfied', 'totals'],
  ]);
  const { status, json } = await submit({ jobspec: jobspec(9) });
  expect([status, json.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
    422,
    ['/clusters/azure', '/clusters/blue', '/clusters/coral'],
  ]);
  const none = await submit(steps({ filter: 'free > 99' }));
  expect(none.json.errors[1]).toEqual({
    pointer: '/clusters/blue',
    message: 'priority 1: free is 0',
  });
  const after = (await stage.expecting(200, 'GET', '/v1/jobspecs?pool=hpc&limit=1')).items;
  expect(after[0].id).toBe(before[0].id);
});

test('a token of one cluster submits to that one; another, there or not, is the same refusal', async () => {
  const token = submitTokens.get('blue')!;
  const asked = (clusters?: string[]) =>
    stage.ask(token, 'POST', '/v1/jobspecs', { jobspec: jobspec(), clusters });
  expect((await asked()).json.cluster).toBe('blue');
  const others = [await asked(['coral']), await asked(['blue', 'coral']), await asked(['nobody'])];
  const said = others.map(({ status, json }) => [status, json.code, json.detail]);
  expect(new Set(said.map((it) => JSON.stringify(it))).size).toBe(1);
  expect(said[0]!.slice(0, 2)).toEqual([403, 'forbidden']);
});

test('a pool says how it is chosen for jobspecs that do not; an empty one keeps what comes', async () => {
  const select = {
    algorithm: 'constraint',
    priorities: [{ priority: 1, steps: [{ filter: 'cost == 1' }] }],
  };
  await stage.expecting(200, 'PUT', '/v1/pools/hpc', { select });
  expect(await chosen({})).toBe('blue');
  expect(await chosen({ select: { algorithm: 'first' } })).toBe('azure');
  await stage.expecting(200, 'PUT', '/v1/pools/hpc', {});
  for (const wrong of [{ algorithm: 'luck' }, { algorithm: 'constraint' }]) {
    await stage.expecting(400, 'PUT', '/v1/pools/hpc', { select: wrong });
  }
  const early = await submit({}, '?pool=morning');
  expect([early.status, early.json.cluster]).toEqual([202, null]);
});

test('who waits goes to who comes, after a kill of everything in between; the timeline says so', async () => {
  const waits = await submit({ jobspec: jobspec(9), unsatisfied: 'wait' });
  expect([waits.status, waits.json.cluster]).toEqual([202, null]);
  const path = `/v1/jobspecs/${waits.json.id}`;
  const read = () => stage.expecting(200, 'GET', path);
  expect((await read()).status).toMatchObject({ state: 'waiting', reason: 'no-cluster-matches' });
  await stage.killAndStart([]);
  await stage.register('large', 'hpc', { nodes: equalNodes(9, { core: 4 }) });
  await until('it has a place', async () => (await read()).cluster === 'large', 120_000);
  const [{ job }] = (await read()).jobs;
  await until(
    'its job is made',
    async () => (await stage.admin('GET', `/v1/jobs/${job}`)).status === 200,
  );
  const { items } = await stage.expecting(200, 'GET', `/v1/jobs/${job}/events`);
  expect(items).toContainEqual(
    expect.objectContaining({
      kind: 'assigned',
      detail: expect.stringContaining('To large: freest'),
    }),
  );
}, 240_000);
