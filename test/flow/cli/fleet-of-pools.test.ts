import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitCode } from '../../../cli/exit-code.ts';
import type { Job, Page, Stats } from '../../../core/contract/resources.ts';
import { makeProduct, type Product } from '../product.ts';
import { askApi, until } from '../start/stage.ts';
import { runClient } from './client.ts';

/** A fleet of two pools by the command line: many jobs at once, wide lists, figures, a move. */
let product: Product;
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  product.startAgent('a-1', '--quiet', '--executor', 'process,simulate');
  product.startAgent('b-1', '--quiet', '--executor', 'process,simulate', '--pool', 'hpc');
  await product.untilConnected(2);
});
afterAll(() => product.remove());

const edgewise = (...words: string[]) => runClient(product.place.directory, ...words);
const ask = <T>(path: string) => askApi<T>(product.place, path);
const shell = (script: string) => ({ process: { argv: ['/bin/sh', '-c', script] } });

function fileOf(name: string, text: string): string {
  const file = join(product.place.directory, name);
  writeFileSync(file, text);
  return file;
}

test('a list of commands is so many jobs, or none when one of them makes no sense', async () => {
  const tasks = [0, 1, 2].map((at) => `  - { cmd: echo, params: ["task", "${at}"] }`).join('\n');
  const { code, out } = await edgewise('submit', '--file', fileOf('a.yaml', `tasks:\n${tasks}\n`));
  expect(code).toBe(0);
  const ids = out.trim().split('\n');
  expect(new Set(ids).size).toBe(3);
  const ended = await Promise.all(ids.map((id) => product.done(id)));
  const argvs = ended.map(({ spec }) => ('process' in spec.run ? spec.run.process?.argv : null));
  expect(argvs).toEqual([0, 1, 2].map((at) => ['echo', 'task', String(at)]));

  const before = (await ask<Page<Job>>('/v1/jobs?limit=100')).items.length;
  const bad = fileOf('b.yaml', `tasks:\n${tasks}\n  - { params: ["no command"] }\n`);
  expect((await edgewise('submit', '--file', bad)).code).toBe(2);
  const jobs = [{ chunks: 1 }, { chunks: -1 }];
  const init = { method: 'POST', body: JSON.stringify({ jobs }) };
  const refused = await askApi<{ code: string; errors: { pointer: string }[] }>(
    product.place,
    '/v1/jobs/batch',
    init,
  );
  expect(refused).toMatchObject({
    code: 'invalid-request',
    errors: [{ pointer: '/jobs/1/chunks' }],
  });
  expect((await ask<Page<Job>>('/v1/jobs?limit=100')).items.length).toBe(before);
});

test('a wide list has the edge, the exit code and twenty characters of the last line', async () => {
  const line = 'äöü✓'.repeat(10);
  const run = shell(`echo before; echo '${line}'; exit 5`);
  const retries = { attempts: 1, backoffSeconds: 0 };
  const { id } = await product.submit({ name: 'sour', chunks: 1, pool: 'hpc', run, retries });
  await product.jobWhen(id, 'failed', ({ status }) => status.state === 'failed');
  const row = await until('its output is in the list', async () => {
    const { out } = await edgewise('job', 'list', '-o', 'wide');
    const found = out.split('\n').find((it) => it.includes(id));
    return found?.includes('ä') ? found : null;
  });
  expect(row).toMatch(/ b-1 +5 +(äöü✓){5} +chunks-failed/);
});

test('why a chunk waits says when it is tried again, and after what', async () => {
  const retries = { attempts: 2, backoffSeconds: 600 };
  const { id } = await product.submit({ name: 'later', chunks: 1, run: shell('exit 7'), retries });
  const said = await until('it waits for its next try', async () => {
    const { out } = await edgewise('explain', id);
    return out.includes('tried again') ? out : null;
  });
  expect(said).toMatch(/tried again at \d\d:\d\d:\d\d after exit code 7/);
  expect((await edgewise('job', 'cancel', id, '--yes')).code).toBe(0);
});

type Grouped = Stats & { groups: { name: string; pool: string | null; chunksDone: number }[] };

test('figures by edge, pool and queue are those of the fleet, divided', async () => {
  const { id } = await product.submit({
    ...{ chunks: 4, chunkPower: 10, pool: 'hpc', queue: 'nightly' },
    run: { simulate: { seconds: 0 } },
  });
  await product.done(id);
  const by = async (what: string) => (await ask<Grouped>(`/v1/stats?by=${what}`)).groups;
  const done = (groups: Grouped['groups']) => groups.reduce((sum, it) => sum + it.chunksDone, 0);
  const groups = { edge: await by('edge'), pool: await by('pool'), queue: await by('queue') };
  expect(groups.edge.map(({ name }) => name).sort()).toEqual(['a-1', 'b-1']);
  expect(groups.pool.map(({ name }) => name).sort()).toEqual(['default', 'hpc']);
  expect(groups.queue.map(({ name }) => name)).toContain('nightly');
  const { chunks } = await product.stats();
  expect([done(groups.edge), done(groups.pool)]).toEqual([chunks.done, chunks.done]);
  expect(groups.pool.find(({ name }) => name === 'hpc')?.chunksDone).toBe(4);
  const { out } = await edgewise('status', '--by', 'pool', '-o', 'json');
  expect(JSON.parse(out)).toMatchObject({ groups: groups.pool });
});

test('random jobs are counted in the pool that they fill, whatever waits in another', async () => {
  for (let at = 0; at < 10; at++) await product.submit({ chunks: 1, pool: 'nobody' });
  await until('ten wait', async () => (await product.stats()).jobs.pending >= 10);
  const words = ['--pool', 'default', '--max-jobs', '2', '--seconds', '1', '--max-power', '300'];
  const { code, err } = await edgewise('request', ...words);
  expect({ code, err }).toMatchObject({
    code: 0,
    err: expect.stringContaining('Submitted 2 jobs'),
  });
});

test('an idle edge goes to another pool and works there; a busy one is refused', async () => {
  const long = { run: { simulate: { seconds: 600 } }, chunks: 1, chunkPower: 10, pool: 'hpc' };
  const { id } = await product.submit(long);
  await product.jobWhen(id, 'running', ({ status }) => status.state === 'running');
  expect((await edgewise('pool', 'set', 'third', '--policy', 'pack')).code).toBe(0);
  const busy = await edgewise('edge', 'set', 'b-1', '--pool', 'third');
  expect(busy.code).toBe(exitCode.conflict);
  expect((await edgewise('job', 'cancel', id, '--yes')).code).toBe(0);
  await product.jobWhen(id, 'cancelled', ({ status }) => status.state === 'cancelled');
  await until('it may go', async () => {
    return (await edgewise('edge', 'set', 'b-1', '--pool', 'third')).code === 0;
  });
  expect(await ask('/v1/edges/b-1')).toMatchObject({ pool: 'third' });
  const run = { simulate: { seconds: 0 } };
  const there = await product.submit({ chunks: 2, chunkPower: 10, pool: 'third', run });
  await product.done(there.id);
});
