import { expect, test } from 'vitest';
import { cellEdgesMax } from '../../core/model/limits.ts';
import { edgeNameOf } from '../../core/model/names.ts';
import { startMs } from '../core/cell-fixture.ts';
import { enrol, makeEnrolment, makeIdentity, north, south } from './stored-fixture.ts';
import type { Stores } from './stored-ports.ts';
import type { Contract } from './stores.ts';

const name = edgeNameOf('edge-1');

/** Which of these secrets open something. */
async function valid({ tokens }: Stores, ...hashes: string[]): Promise<string[]> {
  const found = await Promise.all(hashes.map((hash) => tokens.find(hash)));
  return hashes.filter((_, at) => found[at] !== null);
}

const edgesIn = async ({ pools }: Stores) => (await pools.find('default')).cells[0]?.edges;

/** What every store promises of how edges come and go. */
export const edgeEnrolmentsContract: Contract = (makeStores) => {
  test('an edge that enrolled has a name, a place in its cell, and a secret', async () => {
    const stores = await makeStores();
    expect(await stores.edges.identify(name)).toBeNull();
    const identity = await enrol(stores, name, { keyHash: 'key', certificateId: 'certificate' });
    expect(await stores.edges.identify(name)).toEqual(identity);
    expect(await stores.edges.cellsOf([name, edgeNameOf('nobody')])).toEqual(
      new Map([[name, north]]),
    );
    const { config, facts, allFacts } = makeEnrolment(name);
    const cluster = null;
    const stored = { name, cell: north, config, version: 1, facts, allFacts, cluster };
    const quiet = { report: null, work: null };
    expect(await stores.edges.load(north, name)).toEqual({ ...stored, ...quiet });
    expect((await stores.cells.load(north))?.edges.get(name)).toEqual({
      name,
      config,
      facts,
      ...quiet,
    });
    const credential = { kind: 'edge', edge: name, cell: north };
    expect(await stores.tokens.find('secret-of-edge-1')).toEqual(credential);
    expect(await edgesIn(stores)).toBe(1);
  });

  test('of two that want one name one has it, and the other leaves nothing', async () => {
    const stores = await makeStores();
    await stores.pools.ensureCell('default', 0, startMs);
    const [one, other] = ['one', 'other'].map((secret) =>
      makeEnrolment(name, { credentials: [secret] }),
    );
    const outcomes = await Promise.all([stores.edges.enrol(one!), stores.edges.enrol(other!)]);
    expect(outcomes.toSorted()).toEqual(['enrolled', 'taken']);
    expect(await valid(stores, 'one', 'other')).toHaveLength(1);
    expect(await edgesIn(stores)).toBe(1);
  });

  test('a cell takes no more edges than it may have, also of two at once', async () => {
    const stores = await makeStores();
    await stores.pools.ensureCell('default', 0, startMs);
    for (let at = 1; at < cellEdgesMax; at++) await stores.edges.enrol(makeEnrolment(`edge-${at}`));
    expect(await edgesIn(stores)).toBe(cellEdgesMax - 1);
    const last = ['left', 'right'].map((it) => stores.edges.enrol(makeEnrolment(it)));
    expect((await Promise.all(last)).toSorted()).toEqual(['enrolled', 'full']);
    expect(await edgesIn(stores)).toBe(cellEdgesMax);
    const taken = makeEnrolment('edge-1');
    expect(await stores.edges.enrol(taken)).toBe('taken');
    // A quarter of a thousand transactions, one after the other, on whichever database.
  }, 120_000);

  test('a cell that is not there takes none', async () => {
    const stores = await makeStores();
    const enrolment = makeEnrolment(name, { cell: south });
    expect(await stores.edges.enrol(enrolment)).toBe('full');
    expect(await stores.edges.identify(name)).toBeNull();
  });

  test('one more secret leaves the one before it, and ends those before that', async () => {
    const stores = await makeStores();
    const first = await enrol(stores, name, { credentials: ['a'] });
    const second = (await stores.edges.addCredential(first, 'b'))!;
    expect(second).toEqual({ ...first, credentials: ['a', 'b'] });
    expect(await valid(stores, 'a', 'b')).toEqual(['a', 'b']);
    const third = await stores.edges.addCredential(second, 'c');
    expect(await stores.edges.identify(name)).toEqual(third);
    expect(await valid(stores, 'a', 'b', 'c')).toEqual(['b', 'c']);
    expect(await stores.edges.addCredential(second, 'd')).toBeNull();
    expect(await valid(stores, 'b', 'c', 'd')).toEqual(['b', 'c']);
  });

  test('of two renewals that saw the same secrets the other changes nothing', async () => {
    const stores = await makeStores();
    const seen = await enrol(stores, name, { credentials: ['a', 'b'] });
    const next = ['c', 'd'].map((secret) => ({
      ...seen,
      certificateId: `certificate-${secret}`,
      credentials: ['b', secret],
    }));
    const outcomes = await Promise.all(next.map((it) => stores.edges.renew(seen, it)));
    expect(outcomes.toSorted()).toEqual([false, true]);
    const winner = next[outcomes.indexOf(true)]!;
    expect(await stores.edges.identify(name)).toEqual(winner);
    expect(await valid(stores, 'a', 'b', 'c', 'd')).toEqual(winner.credentials);
  });

  test('an edge that is to go keeps its name, and may lose its secrets before', async () => {
    const stores = await makeStores();
    const identity = await enrol(stores, name);
    await stores.edges.markRemoving(identity, 7);
    expect(await stores.edges.identify(name)).toEqual({ ...identity, removingSinceMs: 7 });
    const { credentials, cell, certificateId } = identity;
    const remains = { edge: name, credentials, cell, certificateId, removingSinceMs: 7 };
    expect(await stores.edges.remains(name)).toMatchObject(remains);
    expect(await valid(stores, 'secret-of-edge-1')).toHaveLength(1);
    await stores.edges.revoke(identity);
    expect(await valid(stores, 'secret-of-edge-1')).toEqual([]);
    expect(await stores.edges.enrol(makeEnrolment(name))).toBe('taken');
  });

  test('an edge that nobody knows cannot be marked to go', async () => {
    const stores = await makeStores();
    await stores.edges.markRemoving(makeIdentity(name), 7);
    expect(await stores.edges.identify(name)).toBeNull();
  });

  test('of an edge that is forgotten nothing is left, its room neither', async () => {
    const stores = await makeStores();
    const identity = await enrol(stores, name);
    await enrol(stores, 'edge-2');
    await stores.edges.forget(identity);
    expect(await stores.edges.identify(name)).toBeNull();
    expect(await stores.edges.load(north, name)).toBeNull();
    expect([...(await stores.cells.load(north))!.edges.keys()]).toEqual(['edge-2']);
    expect(await valid(stores, 'secret-of-edge-1', 'secret-of-edge-2')).toEqual([
      'secret-of-edge-2',
    ]);
    expect(await edgesIn(stores)).toBe(1);
  });

  test('one alone ends an edge, until it has had the time of any function', async () => {
    const stores = await makeStores();
    const identity = await enrol(stores, name);
    const claim = (nowMs: number) => stores.edges.claimEnd(identity, nowMs, nowMs + 10);
    expect((await Promise.all([claim(1), claim(1)])).toSorted()).toEqual([false, true]);
    expect(await claim(11)).toBe(false);
    expect(await claim(12)).toBe(true);
    expect(await stores.edges.enrol(makeEnrolment(name))).toBe('taken');
    await stores.edges.forget(identity);
    expect(await claim(99)).toBe(false);
  });

  test('who is late with the end of an edge ends none that came after it', async () => {
    const stores = await makeStores();
    const before = await enrol(stores, name);
    await stores.edges.forget(before);
    const after = await enrol(stores, name, { credentials: ['fresh'] });
    expect(await stores.edges.claimEnd(before, 1, 2)).toBe(false);
    expect(await stores.edges.addCredential(before, 'late')).toBeNull();
    await stores.edges.forget(before);
    expect(await stores.edges.identify(name)).toEqual(after);
    expect(await stores.edges.load(north, name)).not.toBeNull();
    expect(await valid(stores, 'fresh', 'late')).toEqual(['fresh']);
    expect(await edgesIn(stores)).toBe(1);
  });

  test('to forget an edge again changes nothing', async () => {
    const stores = await makeStores();
    const identity = await enrol(stores, name);
    await enrol(stores, 'edge-2');
    for (let time = 1; time <= 2; time++) await stores.edges.forget(identity);
    expect(await edgesIn(stores)).toBe(1);
  });
};
