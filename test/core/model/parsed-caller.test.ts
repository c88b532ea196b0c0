import { expect, test } from 'vitest';
import { type Caller, parseCaller } from '../../../core/model/caller.ts';
import { cellIdOf, edgeNameOf } from '../../../core/model/names.ts';

const token: Caller = {
  kind: 'token',
  id: 'a-token',
  name: 'ci',
  scopes: ['jobs:read'],
  pool: 'default',
  queue: null,
  edge: null,
  edges: null,
};
const edge: Caller = {
  kind: 'edge',
  edge: edgeNameOf('edge-1'),
  cell: cellIdOf('default.0'),
  tokenHash: 'hash',
};

/** As it comes out of JSON again. */
const as = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test.each([token, edge])('what was handed over is the same caller', (caller) => {
  expect(parseCaller(as(caller))).toEqual(caller);
});

test('a scope that is none is none', () => {
  const text = as({ ...token, scopes: ['jobs:read', 'everything', 7] });
  expect(parseCaller(text)).toEqual(token);
  expect(parseCaller(as({ ...token, scopes: '*' }))).toMatchObject({ scopes: [] });
});

test.each([
  '',
  7,
  null,
  [],
  {},
  as({ ...token, kind: 'admin' }),
  as({ ...token, id: 7 }),
  as({ ...token, pool: undefined }),
  as({ ...token, queue: {} }),
  as({ ...edge, edge: 'Not A Name' }),
  as({ ...edge, cell: 'default' }),
  as({ ...edge, tokenHash: undefined }),
])('who does not say what it may do is nobody: %j', (text) => {
  expect(parseCaller(text)).toBeNull();
});
