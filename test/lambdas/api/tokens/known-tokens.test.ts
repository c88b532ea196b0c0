import { expect, test } from 'vitest';
import { knownTokensMax, tokenKeptMs } from '../../../../core/model/limits.ts';
import { cellIdOf, edgeNameOf } from '../../../../core/model/names.ts';
import type { Credential } from '../../../../core/ports/tokens.ts';
import { rememberTokens } from '../../../../lambdas/api/tokens/known-tokens.ts';

const edge: Credential = { kind: 'edge', edge: edgeNameOf('edge-1'), cell: cellIdOf('default.1') };

function stage() {
  const stored = new Map<string, Credential>();
  const world = { nowMs: 1_000_000, reads: 0 };
  const store = {
    find: async (hash: string) => {
      world.reads++;
      return stored.get(hash) ?? null;
    },
  };
  return { stored, world, tokens: rememberTokens(store, () => world.nowMs) };
}

test('whose a secret is costs one read in five seconds', async () => {
  const { stored, world, tokens } = stage();
  stored.set('a', edge);
  for (let calls = 0; calls < 50; calls++) expect(await tokens.find('a')).toBe(edge);
  expect(world.reads).toBe(1);
  world.nowMs += tokenKeptMs;
  await tokens.find('a');
  expect(world.reads).toBe(2);
});

test('one that was revoked opens nothing after that time, also when it is used often', async () => {
  const { stored, world, tokens } = stage();
  stored.set('a', edge);
  await tokens.find('a');
  stored.delete('a');
  world.nowMs += tokenKeptMs - 1;
  expect(await tokens.find('a')).toBe(edge);
  world.nowMs += 1;
  expect(await tokens.find('a')).toBeNull();
});

test('strangers are not remembered: a token that was just made opens at once', async () => {
  const { stored, tokens } = stage();
  expect(await tokens.find('a')).toBeNull();
  stored.set('a', edge);
  expect(await tokens.find('a')).toBe(edge);
});

test('what is remembered is bounded', async () => {
  const { stored, world, tokens } = stage();
  for (let at = 0; at <= knownTokensMax; at++) stored.set(`s${at}`, edge);
  for (const hash of stored.keys()) await tokens.find(hash);
  await tokens.find(`s${knownTokensMax}`);
  expect(world.reads).toBe(knownTokensMax + 1);
  await tokens.find('s0');
  expect(world.reads).toBe(knownTokensMax + 2);
});
