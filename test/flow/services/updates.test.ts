import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../core/contract/resources.ts';
import type { Product } from '../product.ts';
import { askApi, until } from '../start/stage.ts';
import { runIn, startOnTwoEdges } from './two-edges.ts';

/** Generations on the real parts: rolled out, turned back, gone back to, started anew. */
let product: Product;
beforeAll(async () => {
  product = await startOnTwoEdges();
});
afterAll(() => product?.remove());

const client = (...words: string[]) => runIn(product, words);

/** Each instance writes which version it is and its process id, and runs until it is stopped. */
const version = (word: string) =>
  ['sh', '-c', `echo ${word} $$ > "$OUT/$EDGEWISE_CHUNK"; exec sleep 3600`] as const;
const bad = ['sh', '-c', 'echo there is no such image >&2; exit 125'] as const;

function written(instance: number): { word: string; pid: number } {
  const path = join(product.place.directory, String(instance));
  const [word = '', pid = '0'] = existsSync(path) ? readFileSync(path, 'utf8').split(' ') : [];
  return { word, pid: Number(pid) };
}

const words = () => [0, 1, 2].map((instance) => written(instance).word);

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

const stands =
  (generation: number, rollout: string) =>
  ({ status: { state, service } }: Job): boolean =>
    state === 'running' && service?.generation === generation && service.rollout === rollout;

test('instances come to what is wanted, and back when it fails; what is good is never touched', async () => {
  const env = ['--env', `OUT=${product.place.directory}`];
  const size = ['--name', 'web', '--replicas', '3', '--ready-after', '0', ...env];
  const created = await client('service', 'create', ...size, '--', ...version('one'));
  const id = created.out.trim();
  await product.jobWhen(id, 'ready', stands(1, 'done'));
  const before = [0, 1, 2].map((instance) => written(instance).pid);

  // The same again changes nothing.
  const same = await client('service', 'update', id, '--min-ready', '5', '--', ...version('one'));
  expect(same).toMatchObject({ code: 0, err: expect.stringContaining('nothing of it changes') });

  const quick = ['--min-ready', '0'];
  const updated = await client('service', 'update', id, ...quick, '--', ...version('two'));
  expect(updated).toMatchObject({ code: 0, out: expect.stringContaining('generation 2') });
  await product.jobWhen(id, 'rolled out', stands(2, 'done'));
  expect(words()).toEqual(['two', 'two', 'two']);
  await until('what ran before is gone', async () => !before.some(isAlive));
  const chunks = await product.chunks(id);
  expect(chunks.map(({ generation }) => generation)).toEqual([2, 2, 2]);

  const good = [0, 1, 2].map((instance) => written(instance).pid);
  await client('service', 'update', id, '--min-ready', '2', '--', ...bad);
  const back = await product.jobWhen(id, 'rolled back', (job) => {
    return stands(2, 'rolled-back')(job) && job.status.service?.ready === 3;
  });
  expect(back.generation).toBe(3);
  expect(back.status.service?.rolloutReason).toMatch(/^instance 0 on \w+ ended: exit code 125$/);
  expect(words()).toEqual(['two', 'two', 'two']);
  expect([1, 2].map((instance) => written(instance).pid)).toEqual(good.slice(1));
  await until('the output of what failed is kept', async () => {
    const output = await client('job', 'logs', id, '0');
    return output.out.includes('there is no such image');
  });
  expect((await client('service', 'get', id)).out).toContain('rolled-back');
  const { out } = await client('job', 'events', id);
  expect(out).toMatch(/rolling-out[\s\S]*rolled-out[\s\S]*rolled-back/);

  expect(await client('service', 'rollback', id, '--to', '1')).toMatchObject({ code: 0 });
  await product.jobWhen(id, 'as it was first', stands(4, 'done'));
  expect(words()).toEqual(['one', 'one', 'one']);
  const { items } = await askApi<{ items: { generation: number }[] }>(
    product.place,
    `/v1/jobs/${id}/generations`,
  );
  expect(items.map(({ generation }) => generation)).toEqual([4, 3, 2, 1]);

  const third = [0, 1, 2].map((instance) => written(instance).pid);
  expect(await client('service', 'restart', id, '--chunks', '1-2')).toMatchObject({ code: 0 });
  await until('those that were named run anew', async () => {
    const now = [0, 1, 2].map((instance) => written(instance).pid);
    return now[0] === third[0] && now[1] !== third[1] && now[2] !== third[2];
  });
  await client('service', 'delete', id, '--yes');
  await product.jobWhen(id, 'cancelled', ({ status }) => status.state === 'cancelled');
});
