import fc from 'fast-check';
import { expect, test } from 'vitest';
import { capacityOfCluster } from '../../../core/graph/cluster-capacity.ts';
import { attachedWithin, type GraphDigest, rootShape } from '../../../core/graph/digest.ts';
import { readDigest, writeDigest } from '../../../core/graph/digest-document.ts';
import { readEphemeral } from '../../../core/graph/ephemeral-cluster.ts';
import { graphDigestBytesMax } from '../../../core/graph/limits.ts';
import {
  type Document,
  type Drawn,
  digestOf,
  documentOf,
  equalNodes,
  sample,
} from './graph-fixture.ts';

/** Equal subtrees are one shape, in whatever order they were named. */

const drawn: fc.Arbitrary<Drawn> = fc.letrec<{ vertex: Drawn }>((tie) => ({
  vertex: fc.record({
    type: fc.constantFrom('rack', 'node', 'core', 'constructor'),
    metadata: fc.record({ size: fc.integer({ min: 1, max: 2 }) }),
    children: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constant([]),
      fc.array(tie('vertex'), { maxLength: 4 }),
    ),
  }),
})).vertex;

function textsOf(digest: GraphDigest) {
  const written = writeDigest(digest);
  if (!written.ok) throw new Error(written.reason);
  return written.texts;
}

/** The same graph with everything in another order and with other ids. */
function shuffled(document: Document, order: readonly number[]): Document {
  const by = <T>(items: readonly T[]) =>
    items
      .map((item, i) => [order[i % order.length]! + i * 1e-6, item] as const)
      .sort(([a], [b]) => a - b)
      .map(([, item]) => item);
  const rename = (id: string) => `v${(Number(id) * 7 + 3) % 10_007}`;
  const nodes = by(Object.entries(document.graph.nodes));
  const edges = by(document.graph.edges);
  return {
    graph: {
      nodes: Object.fromEntries(nodes.map(([id, vertex]) => [rename(id), vertex])),
      edges: edges.map(({ source, target, relation }) => ({
        relation,
        target: rename(target),
        source: rename(source),
      })),
    },
  };
}

test('the order of a document and the names of its ids leave no trace', () => {
  const order = fc.array(fc.nat({ max: 1_000 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(drawn, order, (tree, numbers) => {
      const document = documentOf(tree);
      expect(textsOf(digestOf(shuffled(document, numbers)))).toEqual(textsOf(digestOf(document)));
    }),
  );
});

/** Walks the shapes as often as they are there. */
function* walk(digest: GraphDigest, shape = digest.shapes.length - 1): Generator<string> {
  const { type, size, children } = digest.shapes[shape]!;
  yield `${type}:${size}`;
  for (const child of children) {
    for (let i = 0; i < child.times; i++) yield* walk(digest, child.shape);
  }
}

function* walkDrawn({ type, metadata, children = [] }: Drawn): Generator<string> {
  yield `${type}:${metadata?.size ?? 1}`;
  for (const child of children) yield* walkDrawn(child);
}

test('a digest unfolds to the vertices that it was made of, and no shape is there twice', () => {
  fc.assert(
    fc.property(drawn, (tree) => {
      const digest = digestOf(documentOf(tree));
      expect([...walk(digest)].sort()).toEqual([...walkDrawn(tree)].sort());
      expect(digest.vertices).toBe([...walkDrawn(tree)].length);
      const forms = digest.shapes.map((shape) => JSON.stringify(shape));
      expect(new Set(forms).size).toBe(forms.length);
      const total = [...digest.counts.values()].reduce((sum, count) => sum + count, 0);
      const sizes = [...walkDrawn(tree)].map((form) => Number(form.split(':')[1]));
      expect(total).toBe(sizes.reduce((sum, size) => sum + size, 0));
    }),
  );
});

test('what is stored reads back as it was', () => {
  fc.assert(
    fc.property(drawn, (tree) => {
      const digest = digestOf(documentOf(tree));
      const { tree: shapes, kinds } = textsOf(digest);
      expect(readDigest(JSON.parse(shapes), JSON.parse(kinds))).toEqual(digest);
    }),
  );
  const whole = digestOf(sample('cluster-nodes'), { io: sample('cluster-io-subsystem') });
  const texts = textsOf(whole);
  expect(readDigest(JSON.parse(texts.tree), JSON.parse(texts.kinds))).toEqual(whole);
});

test('what is stored and makes no sense reads as nothing', () => {
  const good = { v: 1, c: [], b: [], s: [['node', 1, '', '', []]] };
  expect(readDigest(good, [])).not.toBeNull();
  const damaged: unknown[] = [
    null,
    { ...good, s: [] },
    { ...good, v: -1 },
    { ...good, c: [['a']] },
    { ...good, s: [['node', 1, '', '0', []]] },
    { ...good, s: [['node', 1, '', '', [[0, 1]]]] },
    { ...good, s: [['node', 1, '', 'x', []]] },
    { ...good, s: ['node'] },
  ];
  for (const tree of damaged) expect(readDigest(tree, [])).toBeNull();
  expect(readDigest(good, [['io', 'x', []]])).toBeNull();
});

test('twenty thousand equal vertices cost what a few do', () => {
  const large = digestOf(equalNodes(1_999, 9));
  expect(large.vertices).toBe(19_991);
  expect(large.shapes.length).toBe(3);
  expect(textsOf(large).tree.length).toBeLessThan(
    textsOf(digestOf(equalNodes(1, 9))).tree.length + 20,
  );
});

test('a graph in which nothing is equal is refused with its number', () => {
  const children = Array.from({ length: 4_000 }, (_, i) => ({
    type: 'node',
    metadata: { size: i + 1, unit: 'a unit that takes some room' },
  }));
  const written = writeDigest(digestOf(documentOf({ type: 'cluster', children })));
  expect(written.ok ? '' : written.reason).toMatch(
    new RegExp(`4001 different parts, \\d+ bytes of them; ${graphDigestBytesMax} fit`),
  );
});

test('a cluster without fixed nodes is so many equal ones', () => {
  const limits = { nodes: 64, coresPerNode: 4, gpusPerNode: 1, types: { nvme: 2 } };
  const read = readEphemeral({ limits });
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  const node = {
    type: 'node',
    children: [
      ...Array.from({ length: 4 }, () => ({ type: 'core' })),
      { type: 'gpu' },
      { type: 'nvme' },
      { type: 'nvme' },
    ],
  };
  const drawnOut = documentOf({
    type: 'cluster',
    children: Array.from({ length: 64 }, () => node),
  });
  expect(read.value).toEqual(digestOf(drawnOut));
});

test.each([
  [{}, '/limits'],
  [{ limits: {} }, '/limits/nodes'],
  [{ limits: { nodes: 0 } }, '/limits/nodes'],
  [{ limits: { nodes: 1, coresPerNode: 1.5 } }, '/limits/coresPerNode'],
  [{ limits: { nodes: 1, gpusPerNode: -1 } }, '/limits/gpusPerNode'],
  [{ limits: { nodes: 2 ** 53 } }, '/limits/nodes'],
  [{ limits: { nodes: 1, types: { core: 1 } } }, '/limits/types/core'],
  [{ limits: { nodes: 1, types: { nvme: 0 } } }, '/limits/types/nvme'],
  [{ limits: { nodes: 1, types: [] } }, '/limits/types'],
  [{ limits: { nodes: 1, racks: 1 } }, '/limits/racks'],
])('limits are refused with the place: %j', (document, pointer) => {
  const read = readEphemeral(document);
  expect(read).toMatchObject({ ok: false, errors: [{ pointer }] });
});

test('capacity is what the graph counts, and what the owner says instead', () => {
  const whole = digestOf(sample('cluster-nodes'));
  expect(capacityOfCluster(whole)).toEqual({ nodes: 3, cores: 36, power: 36 });
  expect(capacityOfCluster(whole, { power: 5, licences: 2 })).toEqual({
    nodes: 3,
    cores: 36,
    power: 5,
    licences: 2,
  });
});

test('capacity has other leaves under their own names, as many as fit', () => {
  const names = Array.from({ length: 20 }, (_, i) => `disk${String(i).padStart(2, '0')}`);
  const children = [...names, 'power', 'no name', 'gpu'].map((type) => ({ type }));
  const capacity = capacityOfCluster(digestOf(documentOf({ type: 'cluster', children })), {
    licences: 1,
  });
  expect(Object.keys(capacity).sort()).toEqual(
    ['gpus', 'power', 'licences', ...names.slice(0, 13)].sort(),
  );
  expect(capacity.power).toBe(1);
});

test('shapes know which kinds are attached to them and below them', () => {
  const digest = digestOf(sample('cluster-nodes'), { io: sample('cluster-io-subsystem') });
  const shm = attachedWithin(digest, ({ fields }) => fields.get('type') === 'shm');
  const having = digest.shapes.filter((_, i) => shm[i]).map(({ type }) => type);
  expect(having).toEqual(['node', 'rack', 'cluster']);
  expect(attachedWithin(digest, () => false)).not.toContain(true);
  expect(rootShape(digest).type).toBe('cluster');
});
