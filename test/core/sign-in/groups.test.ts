import { expect, test } from 'vitest';
import { parseGroupScopes, scopesOfGroups } from '../../../core/sign-in/groups.ts';

test('a line says what members of groups may do', () => {
  const groups = parseGroupScopes(
    'Domain Users=jobs:read; ops = jobs:read,edges:read ;a=b=edges:write',
  );
  expect([...groups]).toEqual([
    ['Domain Users', ['jobs:read']],
    ['ops', ['jobs:read', 'edges:read']],
    ['a=b', ['edges:write']],
  ]);
  expect(scopesOfGroups(['Domain Users', 'ops', 3, 'constructor'], groups)).toEqual([
    ...['jobs:read', 'edges:read'],
  ]);
});

test.each([
  '',
  ';',
  '=',
  'ops',
  'ops=',
  '=jobs:read',
  'ops=jobs:read,everything',
  'ops=jobs:read,',
])('"%s" gives nobody anything', (text) => expect(parseGroupScopes(text).size).toBe(0));

test.each([undefined, null, 3, {}, [[]], [{ ops: true }]])('%j is no group', (claim) => {
  expect(scopesOfGroups(claim, parseGroupScopes('ops=jobs:read'))).toEqual([]);
});
