import { expect, test } from 'vitest';
import { type EdgeCaller, mayCall, seesJob, type TokenCaller } from '../../../core/model/caller.ts';
import { cellIdOf, edgeNameOf } from '../../../core/model/names.ts';

const token: TokenCaller = {
  kind: 'token',
  id: 't',
  name: 't',
  scopes: ['jobs:read'],
  pool: 'blue',
  queue: null,
  edge: null,
  edges: null,
};
const edge: EdgeCaller = {
  kind: 'edge',
  edge: edgeNameOf('e-1'),
  cell: cellIdOf('blue.0'),
  tokenHash: '',
};

test('a scope opens its routes, the fleet administrator all, nobody none', () => {
  const access = { scope: 'jobs:write', edge: false } as const;
  expect(mayCall(null, access, null)).toBe('unknown-caller');
  expect(mayCall(token, access, null)).toBe('forbidden');
  expect(mayCall({ ...token, scopes: ['fleet:admin'] }, access, null)).toBe('allowed');
});

test('an edge reaches its own routes and nobody else’s', () => {
  const access = { scope: null, edge: true } as const;
  expect(mayCall(edge, access, 'e-1')).toBe('allowed');
  expect(mayCall(edge, access, 'e-2')).toBe('forbidden');
  expect(mayCall({ ...token, scopes: ['fleet:admin'] }, access, 'e-1')).toBe('forbidden');
});

const jobIn = (pool: string, createdBy = 'token:other') => ({
  spec: { pool, queue: 'any' },
  createdBy,
});

test('a limited token sees its own pool and queue', () => {
  expect(seesJob(token, jobIn('blue'))).toBe(true);
  expect(seesJob(token, jobIn('red'))).toBe(false);
  expect(seesJob({ ...token, queue: 'q' }, jobIn('blue'))).toBe(false);
});

test('a token that is bound to clusters sees what it submitted itself', () => {
  const bound = { ...token, edges: [edgeNameOf('e-1')] };
  expect(seesJob(bound, jobIn('blue'))).toBe(false);
  expect(seesJob(bound, jobIn('blue', 'token:t'))).toBe(true);
  expect(seesJob(bound, jobIn('red', 'token:t'))).toBe(false);
});
