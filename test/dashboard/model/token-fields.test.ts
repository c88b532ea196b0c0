import { expect, test } from 'vitest';
import { tokenBodySchema } from '../../../core/contract/fleet-body.ts';
import type { Token } from '../../../core/contract/resources.ts';
import { scopes } from '../../../core/contract/scopes.ts';
import {
  lifetimes,
  limitsOf,
  scopeWords,
  tokenBodyOf,
} from '../../../dashboard/model/token-fields.ts';

function form(fields: Readonly<Record<string, string | readonly string[]>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) data.append(name, one);
  }
  return data;
}

test('what is left empty is left to the server', () => {
  const fields = { name: ' ci ', scope: 'jobs:read', pool: '', queue: '', ttlSeconds: '' };
  const body = tokenBodyOf(form(fields));
  expect(body).toEqual({ name: 'ci', scopes: ['jobs:read'] });
  expect(tokenBodySchema.safeParse(body).success).toBe(true);
});

test('what is said is sent, as the API takes it', () => {
  const fields = { pool: 'north', queue: 'nightly', edge: 'edge-1', uses: '3', ttlSeconds: '3600' };
  const scope = ['edges:enrol', 'jobs:read'];
  const body = tokenBodyOf(form({ name: 'site', scope, ...fields }));
  expect(body).toEqual({
    name: 'site',
    scopes: ['jobs:read', 'edges:enrol'],
    pool: 'north',
    queue: 'nightly',
    edge: 'edge-1',
    uses: 3,
    ttlSeconds: 3_600,
  });
  expect(tokenBodySchema.safeParse(body).success).toBe(true);
});

test('every scope of the API can be chosen, and every lifetime is taken', () => {
  expect(Object.keys(scopeWords)).toEqual([...scopes]);
  for (const [seconds] of lifetimes) {
    const body = { name: 'ci', scopes: ['jobs:read'], ttlSeconds: seconds };
    expect(tokenBodySchema.safeParse(body).success).toBe(true);
  }
});

test('limits are shown in words', () => {
  const token = { pool: null, queue: null, edge: null, usesLeft: null } as Token;
  expect(limitsOf(token)).toBe('nothing');
  expect(limitsOf({ ...token, pool: 'north', usesLeft: 1 })).toBe('pool north, 1 more edge');
  expect(limitsOf({ ...token, edge: 'edge-1', usesLeft: 2 })).toBe('edge edge-1, 2 more edges');
});
