import { expect, test } from 'vitest';
import type { DownstreamEdge } from '../../../edge-agent/federation/downstream-api.ts';
import { factsOfSite, siteOf } from '../../../edge-agent/federation/site-facts.ts';

const edge = (more: Partial<DownstreamEdge>): DownstreamEdge => ({
  takesWork: true,
  capacity: { power: 250, cores: 4 },
  labels: { site: 'b', rack: '1' },
  facts: { os: { name: 'debian', version: '12' }, executors: { process: '1' }, health: 'ok' },
  ...more,
});

test('of amounts the sum, of everything else what all have in common', () => {
  const other = edge({
    capacity: { power: 50, gpus: 2 },
    labels: { site: 'b', rack: '2' },
    facts: { os: { name: 'debian', version: '13' }, executors: { process: '1', flux: '1' } },
  });
  const site = siteOf(300, [edge({}), other]);
  expect(site).toMatchObject({ edges: 2, labels: { site: 'b' }, depth: 1 });
  expect({ ...site.capacity }).toEqual({ power: 300, cores: 4, gpus: 2 });
  expect(site.facts).toEqual({ os: { name: 'debian' }, executors: { process: '1' } });
});

test('edges that take nothing are not counted, and names of the language are names', () => {
  const named = { constructor: 'x', toString: 'y' };
  const all = [
    edge({ labels: named, facts: named, capacity: { constructor: 1, power: 1 } }),
    edge({ labels: named, facts: named, capacity: { constructor: 2, power: 1 } }),
    edge({ takesWork: false, labels: {} }),
  ];
  const site = siteOf(2, all);
  expect([site.edges, site.labels, site.facts]).toEqual([2, named, named]);
  expect(site.capacity.constructor).toBe(3);
});

test('a deployment above another one is deeper; one without edges runs nothing', () => {
  const deep = edge({ facts: { edgewise: { depth: 2, edges: 9, version: '1' } } });
  const more = { version: '1', health: 'ok', labels: { own: 'x' } };
  const { facts, labels } = factsOfSite(siteOf(1, [edge({}), deep]), more);
  expect(facts.edgewise).toEqual({ version: '1', edges: 2, depth: 3 });
  expect(labels).toMatchObject({ own: 'x', site: 'b' });
  expect(factsOfSite(siteOf(0, []), more)).toMatchObject({
    capacity: { power: 0 },
    labels: { own: 'x' },
    facts: { executors: {}, edgewise: { edges: 0, depth: 1 } },
  });
});

test('deployments in a ring do not count each other for ever', () => {
  const own = edge({ labels: {}, facts: {}, capacity: { power: 100 } });
  const answerOf = (site: ReturnType<typeof siteOf>): DownstreamEdge => {
    const more = { version: '1', health: 'ok', labels: {} };
    const { capacity, facts } = factsOfSite(site, more);
    return edge({ labels: {}, facts, capacity: { ...capacity } });
  };
  // Each has an edge of its own, and the next one as an edge.
  let ring = [1, 2, 3].map(() => siteOf(100, [own]));
  const powers: number[] = [];
  for (let look = 0; look < 20; look++) {
    ring = ring.map((_, at) => siteOf(1e9, [own, answerOf(ring[(at + 1) % 3]!)]));
    powers.push(...ring.map(({ power }) => power));
  }
  expect(Math.max(...powers)).toBeLessThanOrEqual(300);
  expect(ring.map(({ power, depth, edges }) => [power, depth, edges])).toEqual(
    ring.map(() => [100, 3, 1]),
  );
  // It heals when the ring is cut.
  expect(siteOf(100, [own])).toMatchObject({ power: 100, depth: 1 });
});
