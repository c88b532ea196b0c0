import { expect, test } from 'vitest';
import type { TokenCaller } from '../../../../core/model/caller.ts';
import { graphqlBudgetMs } from '../../../../core/model/limits.ts';
import { askFor, type GraphDeps } from '../../../../lambdas/api/graphql/ask.ts';
import type { Operation } from '../../../../lambdas/api/operation.ts';

const caller: TokenCaller = {
  kind: 'token',
  id: 't-1',
  name: 'reader',
  scopes: ['jobs:read', 'edges:read', 'fleet:admin'],
  pool: null,
  queue: null,
  edge: null,
  edges: null,
};

test('a graph whose time is over asks for nothing more', async () => {
  let nowMs = 1_000;
  let runs = 0;
  const deps = { clock: { nowMs: () => nowMs } } as unknown as GraphDeps;
  const ask = askFor({ caller, nowMs, requestId: 'r' }, deps);
  const operation = {
    name: 'getStats',
    run: async () => ++runs,
  } as unknown as Operation<null, number, GraphDeps>;
  const asked = { input: () => null };
  nowMs += graphqlBudgetMs;
  expect(await ask(operation, asked)).toBe(1);
  nowMs += 1;
  await expect(ask(operation, asked)).rejects.toThrow(/may take 10 s/);
  expect(runs).toBe(1);
});
