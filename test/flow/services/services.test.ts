import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Product } from '../product.ts';
import { askApi, until } from '../start/stage.ts';
import { isReady, runIn, startOnTwoEdges } from './two-edges.ts';

/** A service on the real parts: kept, restarted, scaled, moved and ended. */
let product: Product;
beforeAll(async () => {
  product = await startOnTwoEdges();
});
afterAll(() => product?.remove());

const client = (...words: string[]) => runIn(product, words);

/** Each instance writes its process id, and runs until it is stopped. */
const script = 'echo $$ > "$PIDS/$EDGEWISE_CHUNK"; exec sleep 3600';

function pidOf(instance: number): number {
  const path = join(product.place.directory, String(instance));
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
}

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

test('instances are kept: killed they start again, and a drained edge loses them to the other', async () => {
  const env = ['--env', `PIDS=${product.place.directory}`];
  const size = ['--name', 'web', '--replicas', '2', '--ready-after', '0', ...env];
  const created = await client('service', 'create', ...size, '--', 'sh', '-c', script);
  expect(created).toMatchObject({ code: 0 });
  const id = created.out.trim();
  await product.jobWhen(id, 'ready', isReady(2));

  const first = pidOf(0);
  process.kill(first, 'SIGKILL');
  const restarted = await product.jobWhen(id, 'ready again', (job) => {
    return isReady(2)(job) && job.status.service?.restarts === 1;
  });
  expect(restarted.status.chunks).toMatchObject({ total: 2, running: 2, done: 0, dead: 0 });
  expect(pidOf(0)).not.toBe(first);
  const [killed] = await product.chunks(id);
  expect(killed).toMatchObject({ restarts: 1, lastExit: { reason: 'signal SIGKILL' } });

  expect(await client('service', 'scale', id, '3')).toMatchObject({ code: 0 });
  await product.jobWhen(id, 'ready with three', isReady(3));
  expect((await client('service', 'list')).out).toMatch(/web\s+running\s+3\/3/);

  const there = (await product.chunks(id)).filter(({ edge }) => edge === 'one');
  await client('edge', 'drain', 'one', '--yes', '--detach');
  let readyMin = 3;
  await until('all of them are on the other edge', async () => {
    const { status } = await product.job(id);
    readyMin = Math.min(readyMin, status.service?.ready ?? 0);
    const chunks = await product.chunks(id);
    return chunks.length === 3 && chunks.every(({ edge, ready }) => edge === 'two' && ready);
  });
  // Others stood in for them until they were ready again, and the reason of each move says so.
  expect(readyMin).toBe(3);
  expect(there.length).toBeGreaterThan(0);
  for (const { chunk } of there) {
    const { lastExit } = (await product.chunks(id))[chunk]!;
    expect(lastExit?.reason).toMatch(/^its edge is drained; \d stands in for it$/);
  }
  const pids = [0, 1, 2].map(pidOf);
  expect(await client('service', 'scale', id, '0')).toMatchObject({ code: 0 });
  await product.jobWhen(id, 'stopped', ({ status }) => status.state === 'stopped');
  await until('no process is left', async () => !pids.some(isAlive));
  expect(await client('service', 'delete', id, '--yes')).toMatchObject({ code: 0 });
  await product.jobWhen(id, 'cancelled', ({ status }) => status.state === 'cancelled');
});

test('what a service cannot have is refused, and only a service is scaled', async () => {
  const ask = (body: object) =>
    askApi<{ code: string; errors: { pointer: string }[] }>(product.place, '/v1/jobs', {
      method: 'POST',
      body: JSON.stringify({ kind: 'service', run: { process: { argv: ['true'] } }, ...body }),
    });
  expect(await ask({ deadlineSeconds: 5 })).toMatchObject({ code: 'invalid-request' });
  expect(await ask({ kind: 'everywhere', chunks: 2 })).toMatchObject({
    errors: [{ pointer: '/chunks' }],
  });
  const job = await product.submit({ run: { simulate: { seconds: 0 } }, chunks: 1 });
  const scaled = await client('service', 'scale', job.id, '2');
  expect(scaled).toMatchObject({ code: 5, err: expect.stringContaining('Only a service') });
});
