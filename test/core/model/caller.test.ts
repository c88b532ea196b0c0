import { expect, test } from 'vitest';
import { type Caller, mayCall, seesJob } from '../../../core/model/caller.ts';
import { cellIdOf, edgeNameOf } from '../../../core/model/names.ts';

const token: Caller = {
  kind: 'token',
  id: 't',
  name: 't',
  scopes: ['jobs:read'],
  pool: 'blue',
  queue: null,
  edge: null,
};
const edge: Caller = {
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

test('a limited token sees its own pool and queue', () => {
  expect(seesJob(token, { pool: 'blue', queue: 'any' })).toBe(true);
  expect(seesJob(token, { pool: 'red', queue: 'any' })).toBe(false);
  expect(seesJob({ ...token, queue: 'q' }, { pool: 'blue', queue: 'any' })).toBe(false);
});
