import { expect, test } from 'vitest';
import type { IdempotentRequest } from '../../core/ports/idempotency.ts';
import type { Contract } from './stores.ts';

const request: IdempotentRequest = { owner: 'token:a', key: 'once', digest: 'first' };
const other: IdempotentRequest = { ...request, digest: 'second' };
const answer = { status: 201, headers: { location: '/v1/x' }, body: 'sealed' };
const staleMs = 30_000;

/** What every store promises of first answers: one request has a key, and one answer stays. */
export const idempotencyContract: Contract = (makeStores) => {
  test('a key that nobody used has no answer, and one in flight has none yet', async () => {
    const { idempotency } = await makeStores();
    expect(await idempotency.find(request)).toBeNull();
    expect(await idempotency.claim(request, 1_000, staleMs)).toBe(true);
    const inFlight = { digest: 'first', startedAtMs: 1_000, answer: null };
    expect(await idempotency.find(request)).toEqual(inFlight);
    expect(await idempotency.find(other)).toEqual(inFlight);
  });

  test('of two that want a key at once one has it', async () => {
    const { idempotency } = await makeStores();
    const claims = [request, other].map((it) => idempotency.claim(it, 1_000, staleMs));
    expect((await Promise.all(claims)).toSorted()).toEqual([false, true]);
  });

  test('the first answer stays, for as long as the key is kept', async () => {
    const { idempotency } = await makeStores();
    await idempotency.claim(request, 1_000, staleMs);
    await idempotency.finish(request, answer);
    expect(await idempotency.claim(request, 1_000 + 2 * staleMs, staleMs)).toBe(false);
    await idempotency.release(request);
    await idempotency.finish(request, { ...answer, body: 'later' });
    expect(await idempotency.find(request)).toMatchObject({ digest: 'first', answer });
  });

  test('a key belongs to its caller', async () => {
    const { idempotency } = await makeStores();
    await idempotency.claim(request, 1_000, staleMs);
    for (const it of [{ owner: 'token:b' }, { key: 'twice' }, { owner: 'token', key: 'a#once' }]) {
      expect(await idempotency.claim({ ...request, ...it }, 1_000, staleMs)).toBe(true);
    }
  });

  test('a request that failed gives its key back', async () => {
    const { idempotency } = await makeStores();
    await idempotency.claim(request, 1_000, staleMs);
    await idempotency.release(request);
    expect(await idempotency.find(request)).toBeNull();
    expect(await idempotency.claim(other, 1_001, staleMs)).toBe(true);
  });

  test('a request that hung gives its key up, after its time and not before', async () => {
    const { idempotency } = await makeStores();
    await idempotency.claim(request, 1_000, staleMs);
    expect(await idempotency.claim(other, 1_000 + staleMs, staleMs)).toBe(false);
    expect(await idempotency.claim(other, 1_001 + staleMs, staleMs)).toBe(true);
    expect(await idempotency.find(other)).toMatchObject({ digest: 'second' });
  });

  test('who lost its key to another request changes nothing of it any more', async () => {
    const { idempotency } = await makeStores();
    await idempotency.claim(request, 1_000, staleMs);
    await idempotency.claim(other, 1_001 + staleMs, staleMs);
    await idempotency.finish(request, answer);
    await idempotency.release(request);
    const inFlight = { digest: 'second', startedAtMs: 1_001 + staleMs, answer: null };
    expect(await idempotency.find(other)).toEqual(inFlight);
  });

  test('an answer to a key that was given back is not kept', async () => {
    const { idempotency } = await makeStores();
    await idempotency.finish(request, answer);
    expect(await idempotency.find(request)).toBeNull();
  });
};
