import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readDigest, writeDigest } from '../../../core/graph/digest-document.ts';
import { graphDepthMax } from '../../../core/graph/limits.ts';
import { readCluster } from '../../../core/graph/read-cluster.ts';

/** Whatever a document holds, it is read whole, or refused with places in it, and soon. */
const names = [
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  '',
  'a',
  'b',
  'c',
  'é\u0000',
];
const name = fc.constantFrom(...names);
const amount = fc.constantFrom<unknown>(1, 2, 0, -1, 1.5, 2 ** 53, 2 ** 60, 1e308, '2', null, []);
const scalar = fc.oneof(amount, name, fc.boolean(), fc.constant({ deep: { deeper: [] } }));
const metadata = fc.oneof(
  fc.record(
    { type: fc.oneof(name, scalar), size: amount, attributes: fc.dictionary(name, scalar) },
    { requiredKeys: [] },
  ),
  fc.dictionary(name, scalar),
  scalar,
);
const edge = fc.oneof(
  fc.record(
    {
      source: fc.oneof(name, scalar),
      target: fc.oneof(name, scalar),
      relation: fc.constantFrom('contains', 'in', 'else', '__proto__'),
    },
    { requiredKeys: ['source'] },
  ),
  scalar,
);
const free = fc.record(
  {
    nodes: fc.oneof(fc.dictionary(name, fc.record({ metadata }, { requiredKeys: [] })), scalar),
    edges: fc.oneof(fc.array(edge, { maxLength: 12 }), scalar),
  },
  { requiredKeys: [] },
);
/** Nearly right: one vertex under the other, and then perhaps a circle or a second parent. */
const chain = fc
  .tuple(
    fc.integer({ min: 1, max: 2 * graphDepthMax }),
    fc.array(fc.tuple(fc.nat(40), fc.nat(40)), { maxLength: 2 }),
  )
  .map(([length, more]) => {
    const ids = Array.from({ length }, (_, at) => `v${at}`);
    const down = ids.slice(1).map((target, at) => ({ source: `v${at}`, target }));
    const wild = more.map(([from, to]) => ({ source: `v${from}`, target: `v${to}` }));
    const edges = [...down, ...wild].map((it) => ({ ...it, relation: 'contains' }));
    return { nodes: Object.fromEntries(ids.map((id) => [id, {}])), edges };
  });
const graph = fc.oneof(free, chain, chain).map((it) => ({ graph: it }));
const document = fc.oneof(graph, graph, scalar, fc.constant({ graph: null }));
const beside = fc.oneof(fc.constant({}), fc.dictionary(name, document, { maxKeys: 2 }));

const at = { nodes: ['nodes'], subsystem: (of: string) => ['subsystems', of] };

test('a thousand hostile graphs end within their bounds: read, or refused with places', () => {
  const seen = { read: 0, refused: 0, detached: 0 };
  fc.assert(
    fc.property(document, beside, (nodes, subsystems) => {
      const before = JSON.stringify(nodes);
      const reading = readCluster(nodes, new Map(Object.entries(subsystems)), at);
      seen[reading.kind]++;
      expect(JSON.stringify(nodes)).toBe(before);
      if (reading.kind === 'read') {
        const { digest } = reading.cluster;
        const written = writeDigest(digest);
        if (!written.ok) throw new Error('a digest that was read fits');
        const { tree, kinds } = written.texts;
        expect(readDigest(JSON.parse(tree), JSON.parse(kinds))).toEqual(digest);
        for (const count of digest.counts.values()) expect(count).toBeGreaterThan(0);
        return;
      }
      const parts = reading.kind === 'detached' ? reading.subsystems : [reading];
      const errors = parts.flatMap((it) => it.errors);
      expect(errors.length).toBeGreaterThan(0);
      expect(errors.length).toBeLessThanOrEqual(50);
      for (const { pointer, message } of errors) {
        expect(pointer).toMatch(/^(\/|$)/);
        expect(message.length).toBeLessThan(700);
      }
    }),
    { numRuns: 1_000 },
  );
  expect(Math.min(seen.read, seen.refused, seen.detached)).toBeGreaterThan(3);
  expect(({} as Record<string, unknown>).deep).toBeUndefined();
});
