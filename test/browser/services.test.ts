import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JobId } from '../../core/model/names.ts';
import { violations } from './accessibility.ts';
import { found } from './chromium.ts';
import { type Fleet, makeFleet } from './fleet.ts';
import { runInstances } from './instances.ts';
import { type ServedApi, serveApi } from './served-api.ts';
import { openStage, type Stage, signIn } from './stage.ts';

/** Services: how many are ready, their generations side by side, and a rollout as it moves. */
let fleet: Fleet;
let api: ServedApi;
let stage: Stage;

const program = (words: string) => ({ process: { argv: words.split(' ') } });
const service = {
  ...{ kind: 'service', chunks: 3, chunkPower: 1, keepOutput: 'none' },
  run: program('web --version 1'),
  ports: [{ name: 'http' }],
  update: { maxUnavailable: 1, minReadySeconds: 0 },
};
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

describe.skipIf(found.path === null)('services', () => {
  beforeAll(async () => {
    fleet = await makeFleet(6, 2, Date.now());
    api = await serveApi(fleet.api);
    stage = await openStage(api.url);
    api.origin = stage.dashboard.url;
  });

  afterAll(async () => {
    await stage?.close();
    await api?.close();
  });

  const ask = async (method: string, path: string, body?: object) =>
    (await fleet.api.request(method, path, body === undefined ? {} : { body })).json;

  async function signedIn(path: string, options: BrowserContextOptions = {}) {
    const opened = await stage.open(options);
    await signIn(opened.page, fleet.api.adminToken, path);
    return opened;
  }

  /** A service that runs as its edges say. */
  async function makeService(name: string, more: object = {}): Promise<JobId> {
    const body = { ...service, name, ...more };
    const { id } = await ask('POST', '/v1/jobs', body);
    await fleet.api.settle();
    await runInstances(fleet, id);
    return id;
  }

  async function look(page: Page, name: string): Promise<void> {
    const { SCREENSHOTS: directory } = process.env;
    if (directory !== undefined) {
      await page.screenshot({ path: `${directory}/${name}.png`, fullPage: true });
    }
  }

  test('without any service the list says how to make one', async () => {
    const { page, errors } = await signedIn('/services');
    await page.getByText('No services yet.').waitFor();
    await page.getByText('edgewise service create').waitFor();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('a rollout moves on the page: generations side by side, instance by instance', async () => {
    const id = await makeService('web');
    const { page, errors } = await signedIn('/services');
    await page.getByRole('link', { name: 'web' }).click();
    await page.locator('.percent', { hasText: '3 / 3' }).waitFor();
    await page.getByText('All instances run generation 1.', { exact: true }).waitFor();
    const next = { ...service, name: 'web', run: program('web --version 2') };
    await ask('PUT', `/v1/jobs/${id}`, next);
    await fleet.api.settle();
    const rowOf = (generation: number) =>
      page
        .getByRole('region', { name: 'Generations of the service' })
        .getByRole('row', { name: new RegExp(`^${generation}\\b`) });
    for (const updated of [1, 2]) {
      await page.getByText(`On the way to generation 2, ${updated} of 3 instances.`).waitFor();
      await rowOf(2)
        .locator('.with-meter span', { hasText: String(updated) })
        .waitFor();
      await rowOf(1)
        .locator('.with-meter span', { hasText: String(3 - updated) })
        .waitFor();
      await rowOf(1).getByText('web --version 1').waitFor();
      await look(page, `rollout-${updated}`);
      await runInstances(fleet, id);
    }
    const rollout = async () => (await ask('GET', `/v1/jobs/${id}`)).status.service.rollout;
    while ((await rollout()) !== 'done') await runInstances(fleet, id);
    await page.getByText('All instances run generation 2.', { exact: true }).waitFor();
    await rowOf(2).getByText('web --version 2').waitFor();
    await page.locator('.percent', { hasText: '3 / 3' }).waitFor();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('an instance shows its edge, its port as a link, its restarts and how it ended', async () => {
    const id = await makeService('ends');
    await runInstances(fleet, id, { chunk: 1, exitCode: 3 });
    const [{ edge }] = (await ask('GET', `/v1/jobs/${id}/chunks`)).items;
    const { page, errors } = await signedIn(`/services/${id}`);
    const table = page.getByRole('table', { name: 'Instances of the service' });
    await table.getByRole('link', { name: edge }).first().waitFor();
    const port = table.getByRole('link', { name: 'http 45000' });
    expect(await port.getAttribute('href')).toBe('http://10.1.2.3:45000/');
    await table.getByText('exit code 3').waitFor();
    const exits = page.getByRole('region', { name: 'Last exits' });
    await exits.getByText('instance 1').click();
    await exits.getByText('No output was kept.').waitFor();
    expect(errors.filter((line) => !line.includes('404'))).toEqual([]);
    await page.context().close();
  });

  test('scales and deletes after asking', async () => {
    const id = await makeService('change');
    const { page } = await signedIn(`/services/${id}`);
    await page.getByRole('button', { name: 'Scale' }).click();
    await page.getByLabel('Instances', { exact: true }).fill('1');
    await page.getByRole('dialog').getByRole('button', { name: 'Scale' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('.percent', { hasText: '/ 1' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await runInstances(fleet, id);
    await page.locator('.badge', { hasText: 'cancelled' }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await page.context().close();
  });

  test('what cannot be shown says why, and a page that lost the API says so and goes on', async () => {
    const { page } = await signedIn('/services/nobody');
    await page.getByRole('alert').getByText('not-found').waitFor();
    const id = await makeService('stays');
    await page.goto(`/services/${id}`);
    await page.locator('.percent', { hasText: '3 / 3' }).waitFor();
    api.trouble = 'offline';
    try {
      await page.locator('.live:not(.live-on)').waitFor();
      await page.locator('.percent', { hasText: '3 / 3' }).waitFor();
    } finally {
      api.trouble = 'none';
    }
    await page.locator('.live-on').waitFor();
    const job = await ask('POST', '/v1/jobs', { chunks: 1 });
    await page.goto(`/services/${job.id}`);
    await page.getByText('This job is no service').waitFor();
    await page.context().close();
  });

  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  const looks: [string, BrowserContextOptions][] = [
    ['light', {}],
    ['dark', { colorScheme: 'dark' }],
    ['phone', phone],
  ];
  test.each(looks)(
    'has no accessibility violation and fits its window (%s)',
    async (name, options) => {
      const id = await makeService(`look-${name}`);
      await runInstances(fleet, id, { chunk: 0, exitCode: 1 });
      const { page } = await signedIn('/', options);
      for (const path of ['/services', '/services?pool=none', `/services/${id}`]) {
        await page.goto(path);
        await page.locator('.panel').first().waitFor();
        await page.locator('.loading').first().waitFor({ state: 'detached' });
        expect(await violations(page), path).toEqual([]);
        expect(await page.evaluate(overflow), path).toBeLessThanOrEqual(0);
        await look(page, `${name}-${path.replaceAll(/\W/g, '-').slice(0, 20)}`);
      }
      await page.context().close();
    },
  );
});
