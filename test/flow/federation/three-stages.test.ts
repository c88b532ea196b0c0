import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runClient } from '../cli/client.ts';
import { makeProduct, type Product } from '../product.ts';
import { askApi, killHard, type Stage, until } from '../start/stage.ts';

/** Three deployments in a row, each the real product: what is handed in at the top runs below. */
let top: Product;
let middle: Product;
let bottom: Product;
let cloud: Stage;
let middleSite: ReturnType<Product['startAgent']>;

const quiet = '--quiet';

/** An edge of `of` that is a pool of the deployment at this address. */
function startSite(
  of: Product,
  name: string,
  below: { readonly api: string; readonly token?: string | null; readonly pool?: string },
  ...flags: string[]
) {
  const where = ['--downstream-api', below.api, '--downstream-token', below.token ?? ''];
  const pool = ['--downstream-pool', below.pool ?? 'default'];
  return of.startAgent(name, quiet, '--executor', 'edgewise', ...where, ...pool, ...flags);
}

const addressOf = (product: Product) => product.place.endpoints()!;

beforeAll(async () => {
  [top, middle, bottom] = await Promise.all([makeProduct(), makeProduct(), makeProduct()]);
  [cloud] = await Promise.all([middle.startCloud(), top.startCloud(), bottom.startCloud()]);
  for (const name of ['c-1', 'c-2']) bottom.startAgent(name, quiet, '--power', '125');
  await bottom.untilConnected(2);
  middleSite = startSite(middle, 'site-c', addressOf(bottom));
  await middle.untilConnected(1);
  startSite(top, 'site-b', addressOf(middle));
  await top.untilConnected(1);
});
afterAll(() => Promise.all([top, middle, bottom].map((product) => product.remove())));

test('the one above says how deep it goes', async () => {
  type Edge = { capacity: Record<string, number>; facts: Record<string, unknown> };
  const edge = await askApi<Edge>(top.place, '/v1/edges/site-b');
  expect(edge.capacity.power).toBe(250);
  expect(edge.facts).toMatchObject({ edgewise: { edges: 1, depth: 2 } });
});

test('the middle one is killed in the middle: each of 10,000 chunks counts once', async () => {
  const before = (await bottom.stats()).chunks.done;
  const run = { simulate: { seconds: 0.2 } };
  const { id } = await top.submit({ chunks: 10_000, chunkPower: 1, run });
  await until('half of it is done below', async () => {
    return (await bottom.stats()).chunks.done - before > 3_000;
  });
  killHard(addressOf(middle).pid!);
  killHard(middleSite.process.pid!);
  await Promise.all([cloud.ended, middleSite.ended]);
  cloud = await middle.startCloud();
  middleSite = startSite(middle, 'site-c', addressOf(bottom));
  const { status } = await top.done(id, 100_000);
  const chunks = { total: 10_000, done: 10_000, dead: 0 };
  expect(status).toMatchObject({ percent: 100, chunks });
  expect((await bottom.stats()).chunks.done - before).toBe(10_000);
});

test('an output that was kept is readable at the top', async () => {
  const argv = ['/bin/sh', '-c', 'echo "$EDGEWISE_JOB {chunk}/$EDGEWISE_CHUNKS"'];
  const { id } = await top.submit({ chunks: 3, run: { process: { argv } }, keepOutput: 'all' });
  await top.done(id);
  await until('the output of the last chunk is here', async () => {
    const { out } = await runClient(top.place.directory, 'logs', id, '2');
    return out === `${id} 2/3\n`;
  });
});

test('files that chunks leave at the bottom are read at the top, byte for byte', async () => {
  const make = 'mkdir r && seq 1 50000 > r/large && echo "$EDGEWISE_CHUNK" > n-{chunk}.txt';
  const run = { process: { argv: ['/bin/sh', '-c', make] } };
  const outputs = { paths: ['r/', 'n-{chunk}.txt'] };
  const { id } = await top.submit({ chunks: 3, run, outputs });
  await top.done(id);
  const { directory } = top.place;
  expect(await runClient(directory, 'pull', id)).toMatchObject({ code: 0 });
  const large = Array.from({ length: 50_000 }, (_, line) => `${line + 1}\n`).join('');
  for (const chunk of ['0', '1', '2']) {
    expect(readFileSync(join(directory, id, chunk, 'r', 'large'), 'utf8')).toBe(large);
    expect(readFileSync(join(directory, id, chunk, `n-${chunk}.txt`), 'utf8')).toBe(`${chunk}\n`);
  }
});

/** That nothing waits or runs there. */
const isIdle = async (product: Product): Promise<boolean> => {
  const { running, scheduled, pending } = (await product.stats()).chunks;
  return running + scheduled + pending === 0;
};

test('an edge that is drained, and a job that is cancelled, empty what is below', async () => {
  const run = { simulate: { seconds: 600 } };
  const { id } = await top.submit({ chunks: 20, chunkPower: 10, run });
  const isRunning = async (): Promise<boolean> => (await bottom.stats()).chunks.running === 20;
  await until('all of it runs at the bottom', isRunning);
  const drain = ['edge', 'drain', 'site-b', '--deadline', '1s', '--yes'];
  expect(await runClient(top.place.directory, ...drain)).toMatchObject({ code: 0 });
  await until('nothing of it is in the middle', () => isIdle(middle));
  await until('nothing of it is at the bottom', () => isIdle(bottom));
  const open = await runClient(top.place.directory, 'edge', 'uncordon', 'site-b');
  expect(open).toMatchObject({ code: 0 });
  await until('it runs again', isRunning);
  const cancel = await runClient(top.place.directory, 'job', 'cancel', id, '--yes');
  expect(cancel).toMatchObject({ code: 0 });
  await top.jobWhen(id, 'cancelled', ({ status }) => status.state === 'cancelled');
  await until('nothing of it is left in the middle', () => isIdle(middle));
  await until('nothing of it is left at the bottom', () => isIdle(bottom));
});

type Explanation = { reasons: { reason: string; detail: string }[] };

const reasonsOf = async (product: Product, job: string): Promise<string> => {
  const { reasons } = await askApi<Explanation>(product.place, `/v1/jobs/${job}/explain`);
  return reasons.map(({ reason, detail }) => `${reason}: ${detail}`).join('\n');
};

test('why nothing at the bottom can run a job is said at the top', async () => {
  // Two edges have as much together, and none of them alone.
  const { id } = await top.submit({
    chunks: 1,
    chunkPower: 200,
    run: { simulate: { seconds: 1 } },
  });
  await until('it says so', async () => {
    return /edge-refused: .*chunk-larger-than-any-edge/.test(await reasonsOf(top, id));
  });
  const cancel = await runClient(top.place.directory, 'job', 'cancel', id, '--yes');
  expect(cancel).toMatchObject({ code: 0 });
  await top.jobWhen(id, 'cancelled', ({ status }) => status.state === 'cancelled');
});

/** The top, and the middle one by another name, which makes it another deployment. */
const wrongWays = {
  'federation-loop': () => addressOf(top),
  'federation-too-deep': () => {
    const { api, token } = addressOf(middle);
    return { api: api.replace('127.0.0.1', 'localhost'), token };
  },
};

/** Starts an edge, and waits until it is there. */
async function oneMore(product: Product, start: () => unknown): Promise<void> {
  const { connected } = (await product.stats()).edges!;
  start();
  await product.untilConnected(connected + 1);
}

test.each(['federation-loop', 'federation-too-deep'] as const)(
  '%s is refused at the bottom, and the reason is said at the top',
  async (why) => {
    for (const product of [top, middle]) {
      await oneMore(product, () => product.startAgent(`own-${why}`, quiet, '--pool', 'spare'));
    }
    const pool = ['--pool', why];
    const away = { ...wrongWays[why](), pool: 'spare' };
    await oneMore(bottom, () => startSite(bottom, `a-${why}`, away, ...pool));
    for (const [of, name, below] of [
      [middle, `b-${why}`, bottom],
      [top, `c-${why}`, middle],
    ] as const) {
      await oneMore(of, () => startSite(of, name, { ...addressOf(below), pool: why }, ...pool));
    }
    const { id } = await top.submit({ pool: why, run: { simulate: { seconds: 1 } } });
    await until('the top says so', async () => {
      const said = await reasonsOf(top, id);
      return said.startsWith('edge-refused: below: ') && said.includes(`below: ${why}: `);
    });
  },
);

test('one description brings all three to the same, and shows what was changed by hand', async () => {
  const { directory } = top.place;
  const edgewise = (...words: string[]) => runClient(directory, ...words);
  const stages = { top, middle, bottom };
  for (const [name, product] of Object.entries(stages)) {
    const { api, token } = addressOf(product);
    const set = await edgewise('config', 'set', name, '--api', api, '--token', token ?? '');
    expect(set).toMatchObject({ code: 0 });
  }
  const description = {
    stages: Object.keys(stages),
    pools: { described: { policy: 'pack', description: 'of all three' } },
    queues: { nightly: { weight: 2, quota: 5_000 } },
    tokens: { uploader: { scopes: ['jobs:write', 'jobs:read'], pool: 'described' } },
  };
  writeFileSync(join(directory, 'stages.json'), JSON.stringify(description));
  const federation = (...words: string[]) => {
    return edgewise('federation', ...words, '-f', 'stages.json');
  };
  expect((await federation('diff')).code).toBe(5);
  expect(await federation('apply', '--secrets', 'secrets', '--yes')).toMatchObject({ code: 0 });
  expect((await federation('diff')).code).toBe(0);
  for (const product of [top, middle, bottom]) {
    expect(await askApi(product.place, '/v1/pools/described')).toMatchObject({ policy: 'pack' });
  }
  const body = JSON.stringify({ weight: 9 });
  await askApi(bottom.place, '/v1/queues/nightly', { method: 'PUT', body });
  const { code, out } = await federation('diff', '-o', 'json');
  expect(code).toBe(5);
  const shown = JSON.parse(out) as { stages: { drifts: { name: string; drift: string }[] }[] };
  const drifts = shown.stages.map((stage) => stage.drifts.map((it) => [it.name, it.drift]));
  expect(drifts).toEqual([[], [], [['nightly', 'differs']]]);
  expect(await federation('apply', '--yes')).toMatchObject({ code: 0 });
  expect((await federation('diff')).code).toBe(0);
});
