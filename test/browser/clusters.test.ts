import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sample } from '../core/graph/graph-fixture.ts';
import { violations } from './accessibility.ts';
import { found } from './chromium.ts';
import { type Fleet, makeFleet } from './fleet.ts';
import { type ServedApi, serveApi } from './served-api.ts';
import { openStage, type Stage, signIn } from './stage.ts';

/** Clusters with their graphs and offers, and jobspecs with their groups and who waits for whom. */
let fleet: Fleet;
let api: ServedApi;
let stage: Stage;
let id: string;

const jobspec = {
  version: 1,
  name: 'weather',
  resources: { r: { type: 'node', count: 1, with: [{ type: 'core', count: 2 }] } },
  tasks: [
    { name: 'fetch', resources: 'r', command: ['fetch'] },
    { group: 'solve', depends_on: ['fetch'] },
    { name: 'plot', resources: 'r', command: ['plot'], depends_on: ['solve'] },
  ],
  groups: [
    {
      name: 'solve',
      resources: 'r',
      tasks: [
        { name: 'mesh', command: ['mesh'] },
        { name: 'run', command: ['run'], depends_on: ['mesh'] },
      ],
    },
  ],
};

describe.skipIf(found.path === null)('clusters and jobspecs', () => {
  beforeAll(async () => {
    fleet = await makeFleet(4, 4, Date.now());
    const cluster = { name: 'keebler', pool: 'hpc', mode: 'pull', nodes: sample('cluster-nodes') };
    const { secret: token } = await ask('POST', '/v1/edges', cluster);
    const report = { b: 'boot', e: 0, n: 1, f: 36, i: 5, w: {} };
    await fleet.api.request('POST', '/v1/edges/keebler/report', { token, body: report });
    await fleet.api.request('PUT', '/v1/edges/keebler/state', { token, body: { nodes_free: 3 } });
    id = (await ask('POST', '/v1/jobspecs?pool=hpc', jobspec)).id;
    await fleet.api.settle();
    api = await serveApi(fleet.api);
    stage = await openStage(api.url);
    api.origin = stage.dashboard.url;
  });

  afterAll(async () => {
    await stage?.close();
    await api?.close();
  });

  const ask = async (method: string, path: string, body: object) =>
    (await fleet.api.request(method, path, { body })).json;

  async function signedIn(path: string, options: BrowserContextOptions = {}) {
    const opened = await stage.open(options);
    await signIn(opened.page, fleet.api.adminToken, path);
    return opened;
  }

  async function look(page: Page, name: string): Promise<void> {
    const { SCREENSHOTS: directory } = process.env;
    if (directory !== undefined) {
      await page.screenshot({ path: `${directory}/${name}.png`, fullPage: true });
    }
  }

  const facts = [
    ['cluster', '1'],
    ['core', '36'],
    ['node', '3'],
    ['rack', '1'],
    ['socket', '3'],
    ['Subsystems', 'none'],
    ['says nodes_free', '3'],
  ];

  test('a cluster shows its graph as counts and as a tree, and what it may take', async () => {
    const { page, errors } = await signedIn('/edges/keebler');
    const cluster = page.getByRole('region', { name: 'Cluster' });
    await cluster.getByText('socket').waitFor();
    expect(await cluster.locator('dt').allInnerTexts()).toEqual(facts.map(([name]) => name));
    expect(await cluster.locator('dd').allInnerTexts()).toEqual(facts.map(([, value]) => value));
    await cluster.getByText('As a tree').click();
    await cluster.getByText('36 core').waitFor();
    const offers = page.getByRole('region', { name: 'Offers' });
    await offers.getByRole('link', { name: 'weather' }).waitFor();
    await look(page, 'cluster');
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('a jobspec shows where it went, who waits for whom, and what its groups hold', async () => {
    const { page, errors } = await signedIn('/jobspecs');
    await page.getByText('No jobspec was submitted to this pool.').waitFor();
    const pool = page.getByLabel('Only jobspecs of this pool');
    await pool.fill('hpc');
    await pool.press('Enter');
    await page.getByRole('link', { name: 'weather' }).click();
    await page.getByRole('heading', { name: 'weather' }).waitFor();
    await page.getByRole('img', { name: /5 tasks and groups/ }).waitFor();
    const groups = page.getByRole('region', { name: 'Groups' });
    await groups.getByText('1 node, 2 core').waitFor();
    await look(page, 'jobspec');
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('an edge that is no cluster and takes nothing by itself says nothing of either', async () => {
    const { page } = await signedIn('/edges/edge-1');
    await page.getByRole('region', { name: 'History', exact: true }).waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
    expect(await page.getByRole('region', { name: 'Cluster' }).count()).toBe(0);
    expect(await page.getByRole('region', { name: 'Offers' }).count()).toBe(0);
    await page.context().close();
  });

  test.each([
    ['/jobspecs/nobody', 'not-found'],
    ['/jobspecs?pool=no%20name', 'invalid-request'],
  ])('what cannot be shown says why (%s)', async (path, code) => {
    const { page } = await signedIn(path);
    const alert = page.getByRole('alert');
    await alert.getByText(code).waitFor();
    await alert.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await page.getByText('No jobspec was submitted').count()).toBe(0);
    await page.context().close();
  });

  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  const looks: [string, BrowserContextOptions][] = [
    ['light', {}],
    ['dark', { colorScheme: 'dark' }],
    ['phone', phone],
  ];
  test.each(looks)(
    'has no accessibility violation and fits its window (%s)',
    async (name, options) => {
      const { page } = await signedIn('/', options);
      for (const path of ['/edges/keebler', '/jobspecs?pool=hpc', '/jobspecs', `/jobspecs/${id}`]) {
        await page.goto(path);
        await page.locator('.panel').first().waitFor();
        await page.locator('.loading').first().waitFor({ state: 'detached' });
        if (path === '/edges/keebler') {
          await page.getByText('As a tree').click();
          await page.getByText('36 core').waitFor();
        }
        expect(await violations(page), path).toEqual([]);
        expect(await page.evaluate(overflow), path).toBeLessThanOrEqual(0);
        await look(page, `${name}-${path.replaceAll(/\W/g, '-')}`);
      }
      await page.context().close();
    },
  );
});
