import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions } from 'playwright-core';
import { jobIdOf } from '../../core/model/names.ts';
import { countHour, type Fleet, makeFleet } from './fleet.ts';
import { serveApi } from './served-api.ts';
import { openStage, type Stage, signIn } from './stage.ts';
import { work } from './work.ts';

/** Takes the pictures of the manual again: `node test/browser/take-screenshots.ts [folder]`. */
const folder = process.argv[2] ?? fileURLToPath(new URL('../../docs/screenshots', import.meta.url));
const desk: BrowserContextOptions = { viewport: { width: 1360, height: 960 } };
const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
};

const nowMs = Date.now();
const fleet = await makeFleet(120, 90, nowMs);
countHour(fleet);
const shown = await showJob(fleet);
const api = await serveApi(fleet.api);
const stage = await openStage(api.url);
await take(stage, 'light', desk, ['fleet', 'edges', 'jobs', 'job', 'edge', 'submit', 'tokens']);
await take(stage, 'dark', { ...desk, colorScheme: 'dark' }, ['fleet', 'job']);
await take(stage, 'phone', phone, ['fleet', 'jobs', 'job']);
await stage.close();
await api.close();

type Shown = { readonly id: string; readonly edge: string };

/** A job in the middle of everything: some of it done, some running, the rest waiting. */
async function showJob({ api: handlers, stored }: Fleet): Promise<Shown> {
  const body = { name: 'render-frames', power: 40_300, chunks: 400, labels: { team: 'a' } };
  const { id } = (await handlers.request('POST', '/v1/jobs', { body })).json;
  await handlers.settle();
  const job = jobIdOf(id);
  for (const doneBelow of [0, 40, 90, 130]) await work(fleet, job, doneBelow);
  const [edge] = [...stored.jobs.get(job)!.executions.keys()];
  return { id, edge: edge! };
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
    edge: `/edges/${shown.edge}`,
    submit: '/submit',
    tokens: '/tokens',
  };
  const { page } = await from.open(options);
  await signIn(page, fleet.api.adminToken);
  for (const name of names) {
    await page.goto(paths[name] ?? '/');
    await page.locator('.panel').first().waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
    if (name === 'submit') {
      await page.getByLabel('Pool').fill('north');
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
