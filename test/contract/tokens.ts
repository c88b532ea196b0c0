import { expect, test } from 'vitest';
import type { StoredToken } from '../../core/ports/tokens.ts';
import { enrol } from './stored-fixture.ts';
import type { Contract } from './stores.ts';

function makeToken(id: string, over: Partial<StoredToken> = {}): StoredToken {
  return {
    hash: `hash-of-${id}`,
    id,
    name: `token ${id}`,
    scopes: ['jobs:read', 'jobs:write'],
    pool: null,
    queue: null,
    edge: null,
    edges: null,
    usesLeft: null,
    createdAtMs: 1_000,
    createdBy: 'admin',
    expiresAtMs: null,
    ...over,
  };
}

const limited = { pool: 'default', queue: 'fast', edge: 'edge-1', expiresAtMs: 2_500 };

/** What every store promises of credentials. */
export const tokensContract: Contract = (makeStores) => {
  test('a token is found by its hash and by its id, as it was stored', async () => {
    const { tokens } = await makeStores();
    const token = makeToken('a', { ...limited, usesLeft: 3 });
    await tokens.create(token);
    expect(await tokens.find(token.hash)).toEqual({ kind: 'token', token });
    expect(await tokens.findById('a')).toEqual(token);
    expect([await tokens.find('guess'), await tokens.findById('guess')]).toEqual([null, null]);
  });

  test.each([{ id: 'b' }, { hash: 'other' }])('a token is stored once: %j', async (over) => {
    const { tokens } = await makeStores();
    const token = makeToken('a');
    await tokens.create(token);
    await expect(tokens.create({ ...token, name: 'second', ...over })).rejects.toThrow();
    expect(await tokens.list(null, 9)).toEqual([token]);
  });

  test('a token that was revoked opens nothing', async () => {
    const { tokens } = await makeStores();
    const token = makeToken('a');
    await tokens.create(token);
    await tokens.remove(token);
    expect([await tokens.find(token.hash), await tokens.findById('a')]).toEqual([null, null]);
    expect([await tokens.count(9), await tokens.list(null, 9)]).toEqual([0, []]);
    await tokens.create(token);
  });

  test('tokens come by id, page by page, also behind one that was revoked', async () => {
    const { tokens } = await makeStores();
    const made = ['c', 'a', 'd', 'b'].map((id) => makeToken(id));
    for (const token of made) await tokens.create(token);
    const ids = async (after: string | null, limit: number) =>
      (await tokens.list(after, limit)).map((token) => token.id);
    expect(await ids(null, 3)).toEqual(['a', 'b', 'c']);
    expect(await ids('b', 3)).toEqual(['c', 'd']);
    await tokens.remove(made[3]!);
    expect(await ids('b', 3)).toEqual(['c', 'd']);
    expect(await ids('d', 3)).toEqual([]);
  });

  test('tokens are counted up to a bound, and the secrets of edges are none', async () => {
    const stores = await makeStores();
    for (const id of ['a', 'b', 'c']) await stores.tokens.create(makeToken(id));
    await enrol(stores, 'edge-1');
    expect([await stores.tokens.count(2), await stores.tokens.count(9)]).toEqual([2, 3]);
    expect(await stores.tokens.list(null, 9)).toHaveLength(3);
  });

  test('each use is spent once, also of many at once', async () => {
    const { tokens } = await makeStores();
    const token = makeToken('a', { usesLeft: 2 });
    await tokens.create(token);
    const spent = await Promise.all([1, 2, 3, 4].map(() => tokens.spend(token.hash)));
    expect(spent.filter(Boolean)).toHaveLength(2);
    expect((await tokens.findById('a'))?.usesLeft).toBe(0);
  });

  test('nothing is spent of what has no count', async () => {
    const stores = await makeStores();
    const token = makeToken('a');
    await stores.tokens.create(token);
    const { credentials } = await enrol(stores, 'edge-1');
    for (const hash of [token.hash, credentials[0]!, 'guess']) {
      expect(await stores.tokens.spend(hash)).toBe(false);
    }
    expect(await stores.tokens.find('guess')).toBeNull();
    expect(await stores.tokens.findById('a')).toEqual(token);
  });
};
