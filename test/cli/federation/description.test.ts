import { expect, test } from 'vitest';
import { readDescription } from '../../../cli/federation/description.ts';
import { driftOf } from '../../../cli/federation/drift.ts';

const scopes = ['jobs:read'];

test.each<[string, unknown, string]>([
  ['a secret', { tokens: { a: { scopes, secret: 'ew_x' } } }, '/tokens/a/secret'],
  ['a second name', { tokens: { a: { scopes, name: 'b' } } }, '/tokens/a/name'],
  ['a name that no file has', { tokens: { '../a': { scopes } } }, '/tokens/../a'],
  ['no queue "default"', { queues: { default: null } }, '/queues/default'],
  ['what a stage reports', { pools: { a: { edges: 3 } } }, '/pools/a/edges'],
  ['a stage twice', { stages: ['lab', 'lab'] }, '/stages'],
  ['a stage outside of its directory', { stages: ['..'] }, '/stages/0'],
  ['a prototype', JSON.parse('{"pools":{"__proto__":{}}}'), '/pools/__proto__'],
  ['a list', [], ''],
])('%s is no description', (_, value, pointer) => {
  const read = readDescription(value);
  expect(read.ok).toBe(false);
  const pointers = read.ok ? [] : read.errors.map((it) => it.pointer.replaceAll('~1', '/'));
  expect(pointers).toContain(pointer);
});

const tokenOf = (over: object) => ({
  ...{ id: 't1', name: 'a', scopes: ['jobs:read' as const], pool: null, queue: null },
  ...{ edge: null, edges: null, usesLeft: null, createdBy: 'token:admin' },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', expiresAt: null },
  ...over,
});

function tokenDrift(body: object, ...tokens: readonly object[]) {
  const read = readDescription({ tokens: { a: { scopes, ...body } } });
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  const found = { pools: [], queues: [], tokens: tokens.map(tokenOf) };
  const nowMs = Date.parse('2026-01-02T00:00:00.000Z');
  return driftOf(read.value, found, nowMs).map((it) => [it.drift, it.revoked, it.body !== null]);
}

test('a token is the same as long as it opens the same for as long', () => {
  const week = { expiresAt: '2026-01-08T00:00:00.000Z' };
  expect(tokenDrift({}, {})).toEqual([]);
  expect(tokenDrift({ ttlSeconds: 7 * 86_400 }, week)).toEqual([]);
  expect(tokenDrift({}, week)).toEqual([['differs', ['t1'], true]]);
  expect(tokenDrift({ pool: 'hpc' }, {})).toEqual([['differs', ['t1'], true]]);
  expect(tokenDrift({ scopes: ['jobs:read', 'jobs:write'] }, {})).toHaveLength(1);
});

test('one that has expired, or has enrolled all it may, is as good as none', () => {
  const hour = { ttlSeconds: 3_600 };
  const expired = { expiresAt: '2026-01-01T01:00:00.000Z' };
  expect(tokenDrift(hour, expired)).toEqual([['missing', [], true]]);
  expect(tokenDrift({}, { usesLeft: 0 })).toEqual([['missing', [], true]]);
});

test('of several of one name those that differ are revoked, and no other is made', () => {
  const other = { id: 't2', scopes: ['fleet:admin'] };
  expect(tokenDrift({}, {}, other)).toEqual([['differs', ['t2'], false]]);
});

test('bound to clusters it is bound to their pool, which the stage finds out', () => {
  const bound = { edges: ['b', 'a'] };
  expect(tokenDrift(bound, { edges: ['a', 'b'], pool: 'hpc' })).toEqual([]);
  expect(tokenDrift({ ...bound, pool: 'other' }, { ...bound, pool: 'hpc' })).toHaveLength(1);
});
