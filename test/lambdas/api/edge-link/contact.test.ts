import { expect, test } from 'vitest';
import { edgeStatusOf } from '../../../../core/model/edge-state.ts';
import { contactMarkMs } from '../../../../core/model/limits.ts';
import { cellIdOf, edgeNameOf } from '../../../../core/model/names.ts';
import { presentAt, silenceMsMax } from '../../../../core/model/presence.ts';
import { getWork } from '../../../../lambdas/api/edge-link/get-work.ts';
import { putReport } from '../../../../lambdas/api/edge-link/put-report.ts';
import type { Call } from '../../../../lambdas/api/http/call.ts';
import { enrol } from '../../../contract/stored-fixture.ts';
import { startMs } from '../../../core/cell-fixture.ts';
import { nothingStored } from '../../../memory/stored.ts';
import { createMemoryStores } from '../../../memory/stores.ts';

const edge = edgeNameOf('edge-1');
const cell = cellIdOf('default.0');
const log = { info: () => {}, warn: () => {}, error: () => {}, metric: () => {} };
const silentMs = silenceMsMax({ contactAtMs: 0, everyMs: 4_000 });

async function makeStage() {
  const stores = createMemoryStores(nothingStored());
  await enrol(stores, edge);
  let contacts = 0;
  const inventory = {
    ...stores.inventory,
    store: (...asked: Parameters<typeof stores.inventory.store>) => {
      if (asked[1].kind === 'contact') contacts++;
      return stores.inventory.store(...asked);
    },
  };
  const shadows = { readWork: async () => null } as never;
  const call = (atMs: number, body: object = {}): Call => ({
    requestId: 'r',
    method: 'GET',
    path: '/',
    params: { name: edge },
    query: {},
    repeated: {},
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
    caller: { kind: 'edge', edge, cell, tokenHash: 'hash' },
    nowMs: startMs + atMs,
  });
  const stored = async () => (await stores.cells.load(cell))!.edges.get(edge)!;
  return {
    ask: (atMs: number) => getWork.handle(call(atMs), { shadows, inventory, log }),
    say: (atMs: number, over: object) => {
      const body = { b: 'boot', e: 0, f: 250, w: {}, i: 4, ...over };
      return putReport.handle(call(atMs, body), { inventory, log });
    },
    link: async (atMs: number) => edgeStatusOf(presentAt(await stored(), startMs + atMs)).link,
    contacts: () => contacts,
  };
}

test('an edge over HTTPS is there as long as it asks, and away soon after', async () => {
  const { ask, say, link, contacts } = await makeStage();
  await say(0, { n: 1 });
  let atMs = 0;
  for (; atMs < 60_000; atMs += 3_000) {
    await ask(atMs);
    expect(await link(atMs)).toBe('connected');
  }
  expect(contacts()).toBeLessThanOrEqual(60_000 / contactMarkMs);
  expect(await link(atMs + silentMs)).toBe('disconnected');
  await ask(atMs + silentMs);
  expect(await link(atMs + silentMs)).toBe('connected');
});

test('a goodbye takes effect at once, and asking does not undo it', async () => {
  const { ask, say, link } = await makeStage();
  await say(0, { n: 1 });
  await say(1_000, { n: 2, z: 'boot' });
  expect(await link(1_000)).toBe('disconnected');
  await ask(2_000);
  expect(await link(2_000)).toBe('disconnected');
  await say(3_000, { b: 'next', n: 3 });
  expect(await link(3_000)).toBe('connected');
});

test('what an edge announces is bounded', async () => {
  const { say } = await makeStage();
  for (const i of [0, -1, 1.5, 301, 1e9]) {
    await expect(say(0, { n: 1, i })).rejects.toThrow();
  }
});
