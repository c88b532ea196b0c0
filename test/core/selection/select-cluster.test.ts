import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkBody } from '../../../core/contract/validation.ts';
import type { Scalar } from '../../../core/selection/evaluate-expression.ts';
import { prioritiesSchema, readPriorities } from '../../../core/selection/priorities.ts';
import {
  type Algorithm,
  type Candidate,
  selectCluster,
} from '../../../core/selection/select-cluster.ts';

function candidate(name: string, state: Record<string, Scalar> = {}, freeTimes = 1): Candidate {
  return { name, state: new Map(Object.entries(state)), freeTimes };
}

function read(written: unknown) {
  const checked = checkBody(prioritiesSchema, written);
  return checked.ok ? readPriorities(checked.value) : checked;
}

function constraint(...steps: object[][]): Algorithm {
  const outcome = read(steps.map((it, at) => ({ priority: at + 1, steps: it })));
  if (!outcome.ok || !('priorities' in outcome)) throw new Error(JSON.stringify(outcome));
  return { name: 'constraint', priorities: outcome.priorities };
}

const none = new Map<string, Scalar>();
const select = (from: Candidate[], algorithm: Algorithm, parameters = none, seed = 'seed') =>
  selectCluster(from, algorithm, parameters, seed);

const priced = { cost_per_node_hour: 3, nodes_free: 20, memory_per_node: 200 };
const sample = parse(`
- priority: 1
  steps:
  - filter: "nodes_free > 0"
  - calc: "build_cost=(cost_per_node_hour * (memory_per_node * seconds_per_gb)/60/60)"
  - filter: "build_cost > 0.0666 && build_cost < 0.0667"
  - sort_descending: build_cost
  - select: random
- priority: 2
  steps:
  - filter: "nodes_free > 0"
  - calc: "memory_min=min(100, memory_per_node - 100)"
  - filter: "memory_min == 100"
  - calc: "build_cost=(cost_per_node_hour * (memory_min * seconds_per_gb)/60/60)"
  - sort_descending: build_cost
  - select: random
`);

test('the cost of a build, as the selection of another scheduler calculates it', () => {
  const outcome = read(sample);
  if (!outcome.ok || !('priorities' in outcome)) throw new Error('the sample is refused');
  const parameters = new Map<string, Scalar>([['seconds_per_gb', 0.4]]);
  const [first, second] = outcome.priorities;
  for (const [priority, at] of [
    [first!, 1],
    [second!, 2],
  ] as const) {
    const algorithm = { name: 'constraint', priorities: [priority] } as const;
    const found = select([candidate('keebler', priced)], algorithm, parameters);
    expect(found).toMatchObject({ cluster: 'keebler', priority: at, candidates: 1, excluded: [] });
  }
});

test('the smallest is first ascending, the largest descending, and what is missing last', () => {
  const from = [candidate('a', { n: 2 }), candidate('b', { n: 'x' }), candidate('c')];
  const all = [...from, candidate('d', { n: 1 })];
  const ends = (sort: string, pick: string) =>
    select(all, constraint([{ [sort]: 'n' }, { select: pick }])).cluster;
  expect(ends('sort_ascending', 'first')).toBe('d');
  expect(ends('sort_descending', 'first')).toBe('a');
  expect(ends('sort_ascending', 'last')).toBe('c');
  expect(ends('sort_descending', 'last')).toBe('c');
});

test('a priority that leaves nobody makes room for the next, which begins with all', () => {
  const from = [candidate('blue', { nodes_free: 0 }), candidate('pink', { nodes_free: 0, x: 1 })];
  const algorithm = constraint([{ filter: 'nodes_free > 0' }], [{ filter: 'x == 1' }]);
  expect(select(from, algorithm)).toEqual({
    algorithm: 'constraint',
    cluster: 'pink',
    priority: 2,
    candidates: 2,
    excluded: [
      { cluster: 'blue', priority: 1, step: 0, reason: 'nodes_free is 0' },
      { cluster: 'pink', priority: 1, step: 0, reason: 'nodes_free is 0' },
      { cluster: 'blue', priority: 2, step: 0, reason: 'x is not known' },
    ],
  });
  expect(select(from, constraint([{ filter: 'nodes_free > 0' }])).cluster).toBeNull();
});

test('what one cluster calculates is not known of another', () => {
  const from = [candidate('a', { n: 1 }), candidate('b')];
  const found = select(from, constraint([{ calc: 'm = n + 1' }, { filter: 'm >= 2' }]));
  expect(found).toMatchObject({ cluster: 'a', excluded: [{ cluster: 'b', step: 0 }] });
});

test('without constraints: the freest, the first by name, or one by lot', () => {
  const from = [candidate('b', {}, 3), candidate('c', {}, 3), candidate('a', {}, 1)];
  expect(select(from, { name: 'freest' }).cluster).toBe('b');
  expect(select(from, { name: 'first' }).cluster).toBe('a');
  const lots = new Map<string | null, number>();
  for (let i = 0; i < 3_000; i++) {
    const { cluster } = select(from, { name: 'random' }, none, `0mwm${i}`);
    lots.set(cluster, (lots.get(cluster) ?? 0) + 1);
  }
  for (const name of ['a', 'b', 'c']) expect(lots.get(name)).toBeGreaterThan(850);
  expect(select([], { name: 'freest' }).cluster).toBeNull();
});

const states = fc.dictionary(
  fc.constantFrom('n', 'm', 'constructor', '__proto__', 'cost'),
  fc.oneof(fc.integer(), fc.constantFrom('x', true), fc.double({ noNaN: true })),
);
const clusters = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,3}$/), states), {
  maxLength: 8,
  selector: ([name]) => name,
});

test('the order in which clusters come changes nothing', () => {
  const algorithm = constraint(
    [{ filter: 'n > 0' }, { calc: 'k = m / n' }, { sort_descending: 'k' }],
    [{ sort_ascending: 'cost' }, { select: 'random' }],
  );
  fc.assert(
    fc.property(clusters, fc.string(), (drawn, seed) => {
      const from = drawn.map(([name, state]) => candidate(name, state));
      const found = select(from, algorithm, none, seed);
      expect(select([...from].reverse(), algorithm, none, seed)).toEqual(found);
      expect(found.cluster === null).toBe(from.length === 0);
    }),
  );
});

test.each([
  [
    'two things in one step',
    [{ priority: 1, steps: [{ filter: 'a', calc: 'b=1' }] }],
    '/0/steps/0',
  ],
  ['an unknown step', [{ priority: 1, steps: [{ sort: 'a' }] }], '/0/steps/0/sort'],
  ['no step', [{ priority: 1, steps: [] }], '/0/steps'],
  [
    'a calculation without a name',
    [{ priority: 1, steps: [{ calc: '1 == 2' }] }],
    '/0/steps/0/calc',
  ],
  [
    'a step after the choice',
    [{ priority: 1, steps: [{ select: 'first' }, { filter: 'a' }] }],
    '/0/steps/1',
  ],
  ['a bad filter', [{ priority: 1, steps: [{ filter: 'a >' }] }], '/0/steps/0/filter'],
  ['nine priorities', Array(9).fill({ priority: 1, steps: [{ filter: 'a' }] }), ''],
  ['33 steps', [{ priority: 1, steps: Array(33).fill({ filter: 'a' }) }], '/0/steps'],
])('%s is refused with its place', (_, written, pointer) => {
  const outcome = read(written);
  expect(outcome.ok ? [] : outcome.errors.map((it) => it.pointer)).toContain(pointer);
});
