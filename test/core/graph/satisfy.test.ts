import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Resource } from '../../../core/contract/jobspec/jobspec-schema.ts';
import { resourceRequirementsMax } from '../../../core/contract/jobspec/limits.ts';
import { termOf } from '../../../core/contract/jobspec/terms.ts';
import type { GraphDigest } from '../../../core/graph/digest.ts';
import { readCluster } from '../../../core/graph/read-cluster.ts';
import { match, satisfies } from '../../../core/graph/satisfy.ts';
import { planOf } from '../contract/jobspec/planned.ts';
import { type BruteVertex, bruteMatches } from './brute-matcher.ts';
import { type Document, type Drawn, digestOf, documentOf, sample } from './graph-fixture.ts';

const words = ['io type shm', 'io type nvme', 'spack version 1.0'];
const order = ['cluster', 'rack', 'node', 'socket', 'core'];

type Sketch = {
  readonly size: number;
  readonly attached: readonly string[];
  readonly children: readonly Sketch[];
};

/** Trees of at most four levels below the cluster, any of which may be left out on a way down. */
const tree = (level: number): fc.Arbitrary<Drawn & Sketch> => {
  const types = order.slice(level);
  const deeper = (at: number): fc.Arbitrary<readonly (Drawn & Sketch)[]> =>
    at >= order.length - 1
      ? fc.constant([])
      : fc.array(
          fc.integer({ min: at + 1, max: order.length - 1 }).chain((it) => tree(it)),
          { maxLength: 2, size: 'max' },
        );
  return fc
    .record({
      size: level === 0 ? fc.constant(1) : fc.integer({ min: 1, max: 2 }),
      attached: fc.subarray(words, { maxLength: 1 }),
      children: deeper(level),
    })
    .map((it) => ({ ...it, type: types[0]!, metadata: { size: it.size } }));
};
const requirement = fc.constantFrom(...words).map((word) => {
  const [name, field, match_] = word.split(' ') as [string, string, string];
  return { name, field, match: match_ };
});

/** What lies below a term is of another type, further down. */
const request = (level: number, isTop: boolean): fc.Arbitrary<Resource> =>
  fc
    .record({
      type: fc.integer({ min: level, max: order.length - 1 }),
      isSlot: fc.boolean(),
      needed: fc.integer({ min: 1, max: level > 2 ? 3 : 2 }),
      requires: fc.array(requirement, { maxLength: 1 }),
      abstract: isTop ? fc.boolean() : fc.constant(false),
    })
    .chain(({ type, isSlot, needed, requires, abstract }) => {
      const inside = type < order.length - 1 && !abstract ? request(type + 1, false) : null;
      const some = abstract
        ? request(level, false).map((it) => [it])
        : inside === null
          ? fc.constant([])
          : fc.option(inside, { nil: null }).map((it) => (it === null ? [] : [it]));
      return some.map((below) => ({
        type: abstract ? 'slot' : order[type]!,
        ...(isSlot || abstract ? { replicas: needed } : { count: needed }),
        ...(requires.length === 0 ? {} : { requires }),
        ...(below.length === 0 ? {} : { with: below }),
      }));
    });

/** The same cluster as documents, and as the tree that the other matcher walks. */
function written(drawn: Drawn & Sketch) {
  const nodes = documentOf(drawn);
  let next = 0;
  const places = new Map<string, string[]>();
  const visit = ({ type, size, attached, children }: Drawn & Sketch): BruteVertex => {
    const id = String(next++);
    for (const word of attached) places.set(word, [...(places.get(word) ?? []), id]);
    return { id, type, size, attached, children: children.map((it) => visit(it as never)) };
  };
  const brute = visit(drawn);
  const subsystems: Record<string, Document> = {};
  for (const [word, ids] of places) {
    const [name, field, value] = word.split(' ') as [string, string, string];
    const before = subsystems[name]?.graph ?? { nodes: {}, edges: [] };
    const own = `own-${Object.keys(before.nodes).length}`;
    const vertex = { metadata: { type: 'thing', [field]: value } };
    const edges = ids.map((id) => ({ source: id, target: own, relation: 'contains' }));
    subsystems[name] = {
      graph: { nodes: { ...before.nodes, [own]: vertex }, edges: [...before.edges, ...edges] },
    };
  }
  return { brute, nodes, subsystems };
}

function shuffled(document: Document, turn: number): Document {
  const turned = <T>(list: readonly T[]) => {
    const at = turn % Math.max(1, list.length);
    return [...list.slice(at), ...list.slice(0, at)].reverse();
  };
  const { nodes, edges } = document.graph;
  return {
    graph: { nodes: Object.fromEntries(turned(Object.entries(nodes))), edges: turned(edges) },
  };
}

test('ten thousand small clusters and requests: as a search on the graph itself finds them', () => {
  const seen = { matched: 0, unmet: 0, short: 0 };
  fc.assert(
    fc.property(tree(0), request(1, true), fc.nat(20), (drawn, asked, turn) => {
      const { brute, nodes, subsystems } = written(drawn);
      const term = termOf(asked, '/resources/r');
      const there = new Set(words.filter((it) => it in countWords(brute)));
      const digest = digestOf(nodes, subsystems);
      const outcome = match({ digest, facts: null }, term);
      const expected = bruteMatches(brute, asked);
      const shown = () => JSON.stringify({ drawn, asked, outcome, there: [...there] });
      expect('slots' in outcome, shown()).toBe(expected);
      if (!('reason' in outcome)) seen.matched++;
      else if (/^(requirement|subsystem)/.test(outcome.reason)) seen.unmet++;
      else seen.short++;
      const again = digestOf(
        shuffled(nodes, turn),
        mapped(subsystems, (it) => shuffled(it, turn)),
      );
      expect(match({ digest: again, facts: null }, term)).toEqual(outcome);
    }),
    { numRuns: 10_000 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(300);
}, 120_000);

function countWords(vertex: BruteVertex, into: Record<string, number> = {}) {
  for (const word of vertex.attached) into[word] = (into[word] ?? 0) + 1;
  for (const child of vertex.children) countWords(child, into);
  return into;
}

function mapped<T, U>(from: Record<string, T>, of: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, of(value)]));
}

const keebler = digestOf(sample('cluster-nodes'), {
  io: sample('cluster-io-subsystem'),
  spack: sample('spack-subsystem'),
});
const on = (resources: Record<string, Resource>, task: object = {}, more: object = {}) => {
  const spec = { resources, tasks: [{ command: 'true', resources: 'r', ...task }], ...more };
  return satisfies({ digest: keebler, facts: new Map([['cpu.target', 'amd64']]) }, planOf(spec));
};
const node = (more: object = {}): Resource => ({ type: 'node', ...more });

test('the simple form means totals, what is nested is of each', () => {
  const beside = { type: 'rack', with: [node({ count: 2 }), { type: 'core', count: 24 }] };
  expect(on({ r: beside })).toMatchObject({ matches: true });
  const nested = node({ count: 2, with: [{ type: 'core', count: 24 }] });
  expect(on({ r: nested })).toMatchObject({ matches: false, reason: 'not-enough-core' });
});

test.each([
  ['no-gpu', node({ with: [{ type: 'gpu' }] }), '/resources/r', 'there is no gpu'],
  ['not-enough-node', node({ count: 4 }), '/resources/r', '4 of node needed, 3 there'],
  [
    'not-enough-slots',
    node({ replicas: 2, with: [{ type: 'core', count: 13 }] }),
    '/resources/r',
    '2 × node with 13 core needed, 0 there',
  ],
  [
    'requirement-not-met',
    node({ requires: [{ name: 'spack', field: 'version', min: '0.7.1', max: '0.7.5' }] }),
    '/resources/r/requires/0',
    'no vertex node has spack version 0.7.1 to 0.7.5 (found 0.5.2)',
  ],
  [
    'requirement-not-met',
    node({ requires: [{ name: 'system', field: 'cpu.target', value: 'arm64' }] }),
    '/resources/r/requires/0',
    'no vertex node has system cpu.target = arm64 (found amd64)',
  ],
  [
    'subsystem-missing',
    node({ requires: [{ name: 'licence', field: 'type', match: 'matlab' }] }),
    '/resources/r/requires/0',
    'there is neither a subsystem licence nor a fact type',
  ],
])('%s is said with its place', (reason, resource, at, detail) => {
  expect(on({ r: resource as Resource })).toEqual({ matches: false, reason, at, detail });
});

test('versions are compared as versions, and what is none never matches', () => {
  const asks = (bounds: object) =>
    on({ r: node({ requires: [{ name: 'spack', field: 'version', ...bounds }] }) }).matches;
  expect(asks({ min: '0.5.1', max: '0.5.5' })).toBe(true);
  expect(asks({ max: '0.10.0' })).toBe(true);
  expect(asks({ min: 'abc' })).toBe(false);
  expect(asks({ max: 'zzz' })).toBe(false);
});

test('of a choice it is the first that the cluster has', () => {
  const resources = {
    gpu: node({ with: [{ type: 'gpu' }] }),
    cpu: node({ with: [{ type: 'core' }] }),
  };
  const found = on(resources, { resources: 'gpu|cpu' });
  expect(found.matches && [...found.chosen]).toEqual([['/tasks/0/resources', 'cpu']]);
});

test('only what is to be scheduled counts, where anything is', () => {
  const big = node({ count: 100 });
  const tasks = [
    { command: 'true', resources: 'big' },
    { command: 'true', resources: 'r' },
  ];
  const asked = (scheduled: boolean) =>
    on({ r: node({ schedule: scheduled }), big }, {}, { tasks }).matches;
  expect([asked(true), asked(false)]).toEqual([true, false]);
});

test('what a task asks of the whole cluster: the first of its names, or the second', () => {
  const requires = {
    lammps: [
      { name: 'spack', field: 'type', match: 'package', attribute: 'name', value: 'lammps' },
    ],
    shm: [{ name: 'io', field: 'type', match: 'shm' }],
  };
  const asked = (names: string) => on({ r: node() }, { requires: names }, { requires });
  expect(asked('lammps')).toMatchObject({
    reason: 'requirement-not-met',
    at: '/requires/lammps/0',
  });
  expect(asked('shm')).toMatchObject({ matches: true });
  expect(asked('lammps|shm')).toMatchObject({ matches: true });
});

test('20,000 equal nodes cost what one costs', () => {
  const drawn = (nodes: number): Drawn => ({
    type: 'cluster',
    children: [
      {
        type: 'node',
        metadata: { size: nodes },
        children: [{ type: 'core', metadata: { size: 8 * nodes } }],
      },
    ],
  });
  const digest = digestOf(documentOf(drawn(20_000)));
  expect(digest.shapes.length).toBe(digestOf(documentOf(drawn(1))).shapes.length);
  const term = termOf(node({ count: 20_000, with: [{ type: 'core', count: 8 }] }), '');
  expect(match({ digest, facts: null }, term)).toEqual({ slots: 1 });
});

describe('what is read of shapes and their parts while a term is matched', () => {
  /** So many times, whatever a host makes of it in seconds. */
  function readsOf(digest: GraphDigest): number {
    let reads = 0;
    const counting = <T extends object>(of: T): T =>
      new Proxy(of, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key);
          reads++;
          return typeof value === 'object' && value !== null ? counting(value) : value;
        },
      });
    const asked = node({ count: 2, with: [{ type: 'core', count: 8 }] });
    const shapes = digest.shapes.map(counting);
    expect(match({ digest: { ...digest, shapes }, facts: null }, termOf(asked, ''))).toHaveProperty(
      'slots',
    );
    return reads;
  }
  const nodesOf = (count: number, coresOf: (at: number) => number): GraphDigest => {
    const children = Array.from({ length: count }, (_, at) => ({
      type: 'node',
      children: [{ type: 'core', metadata: { size: coresOf(at) } }],
    }));
    return digestOf(documentOf({ type: 'cluster', children }));
  };

  test('20,000 equal nodes: as often as of two', () => {
    const two = readsOf(nodesOf(2, () => 8));
    expect(readsOf(nodesOf(9_999, () => 8))).toBe(two);
    const limits = { limits: { nodes: 20_000, coresPerNode: 8 } };
    const read = readCluster(limits, new Map(), { nodes: [], subsystem: () => [] });
    if (read.kind !== 'read') throw new Error('these limits are refused');
    expect(readsOf(read.cluster.digest)).toBe(two);
  });

  test('nodes that differ: so much more often as there are more of them', () => {
    const [some, all] = [500, 5_000].map((count) => readsOf(nodesOf(count, (at) => at + 8)));
    expect(all! / some!).toBeGreaterThan(9);
    expect(all! / some!).toBeLessThan(11);
  });
});

test('the last of as many requirements as a resource may have counts like the first', () => {
  const held = { name: 'io', field: 'type', match: 'shm' };
  const asked = (last: object) =>
    on({ r: node({ requires: [...Array(resourceRequirementsMax - 1).fill(held), last] }) });
  expect(asked(held)).toMatchObject({ matches: true });
  expect(asked({ ...held, match: 'tape' })).toMatchObject({
    matches: false,
    at: `/resources/r/requires/${resourceRequirementsMax - 1}`,
  });
});
