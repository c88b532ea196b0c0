import { expect, test } from 'vitest';
import type { GraphDigest } from '../../core/graph/digest.ts';
import { edgeNameOf } from '../../core/model/names.ts';
import type { ClusterRecord } from '../../core/ports/clusters.ts';
import type { NewCluster } from '../../core/ports/edges.ts';
import type { StoredToken } from '../../core/ports/tokens.ts';
import { startMs } from '../core/cell-fixture.ts';
import { enrol, makeEnrolment } from './stored-fixture.ts';
import type { Contract } from './stores.ts';

const name = edgeNameOf('keebler');

export function makeDigest(nodes: number): GraphDigest {
  const bare = { size: 1, unit: '', attached: [] };
  return {
    vertices: nodes + 1,
    counts: new Map([
      ['cluster', 1],
      ['node', nodes],
    ]),
    shapes: [
      { ...bare, type: 'node', attached: [0], children: [] },
      { ...bare, type: 'cluster', children: [{ shape: 0, times: nodes }] },
    ],
    kinds: [
      {
        subsystem: 'io',
        fields: new Map<string, string | number>([
          ['size', 1],
          ['type', 'shm'],
        ]),
        attributes: new Map([['constructor', true]]),
      },
    ],
    subsystems: ['io'],
  };
}

export function makeRecord(edge: string, over: Partial<ClusterRecord> = {}): ClusterRecord {
  return {
    edge: edgeNameOf(edge),
    pool: 'default',
    version: 1,
    writes: 1,
    graph: { vertices: 3, counts: { cluster: 1, node: 2 }, hash: 'abc', registeredAtMs: startMs },
    subsystems: [
      {
        name: 'io',
        vertices: 1,
        attachedTo: 2,
        types: { shm: 1 },
        hash: 'def',
        registeredAtMs: startMs,
      },
    ],
    state: new Map([['constructor', { value: 'x', atMs: startMs, untilMs: null }]]),
    submitTokens: [{ id: `id-${edge}`, hash: `submit-${edge}` }],
    ...over,
  };
}

export function makeNewCluster(edge: string): NewCluster {
  const submitToken: StoredToken = {
    hash: `submit-${edge}`,
    id: `id-${edge}`,
    name: 'submit',
    scopes: ['jobs:read', 'jobs:write'],
    pool: 'default',
    queue: null,
    edge: null,
    edges: [edgeNameOf(edge)],
    usesLeft: null,
    createdAtMs: startMs,
    createdBy: 'admin',
    expiresAtMs: null,
  };
  return { record: makeRecord(edge), digest: makeDigest(2), submitToken };
}

/** What every store promises of clusters. */
export const clustersContract: Contract = (makeStores) => {
  test('a cluster is enrolled whole, with its token, and read as it was stored', async () => {
    const { pools, edges, clusters, tokens } = await makeStores();
    await pools.ensureCell('default', 0, startMs);
    const cluster = makeNewCluster('keebler');
    expect(await edges.enrol({ ...makeEnrolment('keebler'), cluster })).toBe('enrolled');
    expect(await clusters.find(name)).toEqual(cluster.record);
    expect(await clusters.digestOf(name)).toEqual(cluster.digest);
    expect(await tokens.find('submit-keebler')).toEqual({
      kind: 'token',
      token: cluster.submitToken,
    });
    const { cell } = makeEnrolment('keebler').identity;
    expect((await edges.load(cell, name))?.cluster).toEqual(cluster.record);
  });

  test('a plain edge has nothing of it', async () => {
    const stores = await makeStores();
    const { cell } = await enrol(stores, 'plain');
    expect(await stores.clusters.find(edgeNameOf('plain'))).toBeNull();
    expect(await stores.clusters.digestOf(edgeNameOf('plain'))).toBeNull();
    expect((await stores.edges.load(cell, edgeNameOf('plain')))?.cluster).toBeNull();
  });

  test('of two that saw the same cluster one changes it', async () => {
    const stores = await makeStores();
    await enrol(stores, 'keebler');
    const [first, second] = [2, 3].map((version) => makeRecord('keebler', { version }));
    const made = [first!, second!].map((it) => stores.clusters.save(it, makeDigest(2), null));
    expect((await Promise.all(made)).toSorted()).toEqual([false, true]);
    const seen = await stores.clusters.find(name);
    const next = { ...seen!, writes: 2, graph: null };
    expect(await stores.clusters.save(next, null, seen)).toBe(true);
    expect(await stores.clusters.save(next, null, seen)).toBe(false);
    expect(await stores.clusters.digestOf(name)).toBeNull();
    expect(await stores.clusters.find(name)).toEqual(next);
  });

  test('a digest that is not named stays as it is', async () => {
    const stores = await makeStores();
    await enrol(stores, 'keebler');
    await stores.clusters.save(makeRecord('keebler'), makeDigest(7), null);
    const seen = await stores.clusters.find(name);
    await stores.clusters.save({ ...seen!, writes: 2, state: new Map() }, 'as it is', seen);
    expect(await stores.clusters.digestOf(name)).toEqual(makeDigest(7));
  });

  test('what an edge has is changed with its graph, or not at all', async () => {
    const stores = await makeStores();
    const { cell } = await enrol(stores, 'keebler');
    const counted = { power: 36, nodes: 3 };
    const has = async () => (await stores.edges.load(cell, name))?.facts?.counted;
    const record = makeRecord('keebler');
    expect(await stores.clusters.save(record, makeDigest(3), null, { cell, counted })).toBe(true);
    expect(await has()).toEqual(counted);
    const other = { cell, counted: { power: 1 } };
    expect(await stores.clusters.save(record, makeDigest(1), null, other)).toBe(false);
    expect(await has()).toEqual(counted);
    const facts = { capacity: { power: 2, cores: 4 }, labels: {}, facts: {} };
    const said = { kind: 'facts', edge: name, atMs: startMs + 1, version: 4, facts } as const;
    expect(await stores.inventory.store(cell, said)).toBe('stored');
    expect((await stores.edges.load(cell, name))?.facts).toMatchObject({
      capacity: facts.capacity,
      counted,
    });
    const seen = await stores.clusters.find(name);
    const none = { cell, counted: null };
    expect(await stores.clusters.save({ ...seen!, writes: 2 }, null, seen, none)).toBe(true);
    expect(await has()).toBeUndefined();
  });

  test('of an edge that is not there nothing is stored', async () => {
    const { clusters } = await makeStores();
    expect(await clusters.save(makeRecord('keebler'), makeDigest(1), null)).toBe(false);
    expect(await clusters.find(name)).toBeNull();
  });

  test('those of a pool that have a graph are listed by name, page by page', async () => {
    const stores = await makeStores();
    for (const edge of ['a', 'b', 'c', 'd']) {
      await enrol(stores, edge);
      const graph = edge === 'c' ? { graph: null } : {};
      await stores.clusters.save(makeRecord(edge, graph), makeDigest(2), null);
    }
    const first = await stores.clusters.ofPool('default', null, 2);
    expect(first.map(({ record }) => record.edge)).toEqual(['a', 'b']);
    expect(first[0]?.digest).toEqual(makeDigest(2));
    const rest = await stores.clusters.ofPool('default', edgeNameOf('b'), 2);
    expect(rest.map(({ record }) => record.edge)).toEqual(['d']);
    expect(await stores.clusters.ofPool('other', null, 2)).toEqual([]);
  });

  test('it goes whole, with the tokens by which others submit to it', async () => {
    const { pools, edges, clusters, tokens } = await makeStores();
    await pools.ensureCell('default', 0, startMs);
    const cluster = makeNewCluster('keebler');
    await edges.enrol({ ...makeEnrolment('keebler'), cluster });
    await clusters.forget(name);
    expect(await clusters.find(name)).toBeNull();
    expect(await clusters.digestOf(name)).toBeNull();
    expect(await tokens.find('submit-keebler')).toBeNull();
    expect(await tokens.findById('id-keebler')).toBeNull();
    await clusters.forget(name);
  });
};
