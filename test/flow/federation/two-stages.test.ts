import { afterAll, beforeAll, expect, test } from 'vitest';
import { runClient } from '../cli/client.ts';
import { makeProduct, type Product } from '../product.ts';
import { askApi, killHard, until } from '../start/stage.ts';

/** One deployment is an edge of another. Both are the real product, on ports of their own. */
let above: Product;
let below: Product;
let site: ReturnType<Product['startAgent']>;
beforeAll(async () => {
  [above, below] = await Promise.all([makeProduct(), makeProduct()]);
  await Promise.all([above.startCloud(), below.startCloud()]);
  for (const name of ['b-1', 'b-2']) below.startAgent(name, '--quiet', '--label', 'site=b');
  await below.untilConnected(2);
  site = startSite();
  await above.untilConnected(1);
});
afterAll(() => Promise.all([above.remove(), below.remove()]));

function startSite() {
  const { api, token } = below.place.endpoints()!;
  const flags = ['--downstream-api', api, '--downstream-token', token ?? ''];
  return above.startAgent('site-b', '--executor', 'edgewise', ...flags);
}

const shell = (script: string, ...words: string[]) => ({
  process: { argv: ['/bin/sh', '-c', script, ...words] },
});

type Edge = { capacity: Record<string, number>; labels: object; facts: Record<string, unknown> };

test('it has what its pool has: power in sum, labels and facts in common', async () => {
  const edge = await askApi<Edge>(above.place, '/v1/edges/site-b');
  expect(edge.capacity.power).toBe(500);
  expect(edge.labels).toEqual({ site: 'b' });
  expect(edge.facts).toMatchObject({ edgewise: { edges: 2, depth: 1 }, chunkOffsets: true });
});

test('chunks are run below under their own numbers, and come up as they ended', async () => {
  const script = 'echo "$EDGEWISE_JOB $EDGEWISE_CHUNK/$EDGEWISE_CHUNKS $1"; exit $1';
  const { id } = await above.submit({
    ...{ chunks: 6, chunkPower: 10, run: shell(script, 'sh', '{chunk}'), keepOutput: 'all' },
    retries: { attempts: 2, backoffSeconds: 0 },
  });
  const { status } = await above.jobWhen(id, 'failed', (job) => job.status.state === 'failed');
  expect(status.chunks).toMatchObject({ done: 1, dead: 5 });
  const chunks = await above.chunks(id);
  expect(chunks.map(({ exitCode }) => exitCode)).toEqual([0, 1, 2, 3, 4, 5]);
  await until('its output is here too', async () => {
    const { out } = await runClient(above.place.directory, 'logs', id, '4');
    return out === `${id} 4/6 4\n`;
  });
});

test('its agent is killed in the middle: nothing is run twice, and each chunk counts once', async () => {
  const before = (await below.stats()).chunks.done;
  const { id } = await above.submit({
    ...{ chunks: 1_000, chunkPower: 10, run: { simulate: { seconds: 0.2 } } },
  });
  await above.jobWhen(id, 'half way', ({ status: { chunks } }) => {
    return chunks.done > 100 && chunks.done < 900;
  });
  killHard(site.process.pid!);
  await site.ended;
  site = startSite();
  const { status } = await above.done(id);
  expect(status).toMatchObject({ percent: 100, chunks: { total: 1_000, done: 1_000, dead: 0 } });
  expect((await below.stats()).chunks.done - before).toBe(1_000);
});

/** How many chunks wait, are given out or run below. */
const openBelow = async (): Promise<number> => {
  const { running, scheduled, pending } = (await below.stats()).chunks;
  return running + scheduled + pending;
};

test('chunks that are cancelled above are cancelled below, and the others run on', async () => {
  const run = { simulate: { seconds: 600 } };
  const { id } = await above.submit({ chunks: 20, chunkPower: 10, run });
  await until('all of it runs below', async () => (await below.stats()).chunks.running === 20);
  const fewer = await runClient(above.place.directory, 'chunk', 'cancel', id, '5-14', '--yes');
  expect(fewer).toMatchObject({ code: 0 });
  await until('ten of it are left below', async () => (await openBelow()) === 10);
  const { status } = await above.jobWhen(id, 'ten cancelled', ({ status: { chunks } }) => {
    return chunks.cancelled === 10 && chunks.running === 10;
  });
  expect(status).toMatchObject({ state: 'running', chunks: { done: 0, dead: 0 } });
  const rest = await runClient(above.place.directory, 'chunk', 'cancel', id, '0-4,15-19', '--yes');
  expect(rest).toMatchObject({ code: 0 });
  await above.jobWhen(id, 'cancelled', (job) => job.status.state === 'cancelled');
  await until('nothing of it is left below', async () => (await openBelow()) === 0);
});

test('what is cancelled above is cancelled below', async () => {
  const run = { simulate: { seconds: 600 } };
  const { id } = await above.submit({ chunks: 20, chunkPower: 10, run });
  await above.jobWhen(id, 'running', ({ status }) => status.state === 'running');
  const cancelled = await runClient(above.place.directory, 'job', 'cancel', id, '--yes');
  expect(cancelled).toMatchObject({ code: 0 });
  await above.jobWhen(id, 'cancelled', ({ status }) => status.state === 'cancelled');
  await until('nothing of it is left below', async () => (await openBelow()) === 0);
});
