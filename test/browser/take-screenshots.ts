import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions } from 'playwright-core';
import { type FakeApi, startFakeApi } from './fake-api.ts';
import {
  failedChunk,
  iso,
  jobId,
  type MutableJob,
  makeJob,
  makeWorld,
  placeJob,
  setProgress,
} from './fake-world.ts';
import { openStage, type Stage, signIn } from './stage.ts';

/** Takes the pictures of the manual again: `node test/browser/take-screenshots.ts [folder]`. */
const folder = process.argv[2] ?? fileURLToPath(new URL('../../docs/screenshots', import.meta.url));
const desk: BrowserContextOptions = { viewport: { width: 1360, height: 960 } };
const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
};

const nowMs = Date.now();
const api = await startFakeApi(makeWorld(120, 90, nowMs));
const shown = showJob(api);
const stage = await openStage(api.url);
await take(stage, 'light', desk, ['fleet', 'edges', 'jobs', 'job', 'edge', 'submit', 'tokens']);
await take(stage, 'dark', { ...desk, colorScheme: 'dark' }, ['fleet', 'job']);
await take(stage, 'phone', phone, ['fleet', 'jobs', 'job']);
await stage.close();
await api.close();

/** A job in the middle of everything: partly done, partly waiting, three chunks failed. */
function showJob({ world }: FakeApi): MutableJob {
  const job = makeJob(world, {
    id: jobId(nowMs - 90_000, 9_999),
    createdMs: nowMs - 90_000,
    spec: { name: 'render-frames', power: 4_030, chunks: 400, labels: { team: 'a' } },
  });
  const ready = [...world.edges.values()].filter((e) => e.state === 'connected' && !e.cordoned);
  const names = ready.slice(0, 7).map((edge) => edge.name);
  placeJob(world, job, names);
  setProgress(world, job, 43);
  job.status.startedAt = iso(nowMs - 88_000);
  job.status.chunks = { ...job.status.chunks, dead: 3, pending: 60 };
  job.status.chunks.scheduled -= 63;
  job.status.executions[2]!.dead = '150-152';
  for (const chunk of [150, 151, 152]) {
    job.failed.push(failedChunk(chunk, names[2]!, 'exit 1: out of disk', iso(nowMs - 20_000)));
  }
  for (const execution of job.status.executions) {
    const edge = world.edges.get(execution.edge)!;
    const { chunks, percent } = execution;
    edge.leases = [{ job: job.id, chunks, slots: 8, percent }];
  }
  return job;
}

async function take(
  from: Stage,
  look: string,
  options: BrowserContextOptions,
  names: readonly string[],
): Promise<void> {
  const paths: Readonly<Record<string, string>> = {
    fleet: '/',
    edges: '/?view=table',
    jobs: '/jobs',
    job: `/jobs/${shown.id}`,
    edge: `/edges/${shown.status.executions[0]!.edge}`,
    submit: '/submit',
    tokens: '/tokens',
  };
  const { page } = await from.open(options);
  await signIn(page, api.token);
  for (const name of names) {
    await page.goto(paths[name] ?? '/');
    await page.locator('.panel').first().waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
    if (name === 'submit') {
      await page.getByRole('button', { name: 'Dry run' }).click();
      await page.locator('.placements').waitFor();
    }
    if (name === 'tokens') {
      await page.getByLabel('Name').fill('site-north');
      await page.getByLabel('bring in new edges').check();
      await page.getByLabel('Edges it may enrol').fill('5');
      await page.getByRole('button', { name: 'Make the token' }).click();
      await page.getByRole('heading', { name: 'site-north is made' }).waitFor();
    }
    if (name === 'fleet') await page.locator('a.cell-lost').first().hover();
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: `${folder}/${name}-${look}.png` });
  }
  await page.context().close();
}
