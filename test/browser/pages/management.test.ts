import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goKeys } from '../../../dashboard/model/search/keys.ts';
import { violations } from '../accessibility.ts';
import { found } from '../chromium.ts';
import { type Fleet, makeFleet } from '../fleet.ts';
import { look, looks, overflow } from '../looks.ts';
import { type ServedApi, serveApi } from '../served-api.ts';
import { openStage, type Stage, signIn } from '../stage.ts';

/** Pools, queues, schedules and changes; what is found, by which keys, and many rows at once. */
let fleet: Fleet;
let api: ServedApi;
let stage: Stage;

describe.skipIf(found.path === null)('management', () => {
  beforeAll(async () => {
    fleet = await makeFleet(40, 20, Date.now());
    await ask('PUT', '/v1/pools/north', {
      description: 'the hill',
      edgeCapacityMax: { power: 500 },
    });
    await ask('PUT', '/v1/queues/nightly', { weight: 3, strict: true, quota: 2_000 });
    await ask('PUT', '/v1/queues/default', {});
    const job = { name: 'survey', power: 40 };
    await ask('POST', '/v1/schedules', { name: 'survey', cron: '30 2 * * *', job });
    await ask('POST', '/v1/schedules/survey/run');
    await fleet.api.settle();
    await ask('POST', '/v1/jobs', {
      name: 'waits',
      queue: 'nightly',
      chunks: 7,
      chunkPower: 9_000,
    });
    await fleet.api.settle();
    api = await serveApi(fleet.api);
    stage = await openStage(api.url);
    api.origin = stage.dashboard.url;
  });

  afterAll(async () => {
    await stage?.close();
    await api?.close();
  });

  const ask = async (method: string, path: string, body?: object) => {
    const { json, status, text } = await fleet.api.request(method, path, body ? { body } : {});
    expect(status, text).toBeLessThan(300);
    return json;
  };

  async function signedIn(path: string, options: BrowserContextOptions = {}) {
    const opened = await stage.open(options);
    await signIn(opened.page, fleet.api.adminToken, path);
    return opened;
  }

  const rowOf = (page: Page, table: string, name: string) =>
    page.getByRole('table', { name: table }).getByRole('row', { name });

  test('pools and queues say what they have, what waits, and whose turn it is', async () => {
    const { page, errors } = await signedIn('/pools');
    const north = rowOf(page, 'Pools', 'north');
    await north.getByText('the hill').waitFor();
    await north.getByText(/ of .+ k?W$/).waitFor();
    await north.getByText('power 500').waitFor();
    await page.getByRole('link', { name: 'Queues' }).click();
    const nightly = rowOf(page, 'Queues', 'nightly');
    await nightly.getByText('7 chunks of 1 job').waitFor();
    await nightly.getByText('75 %').waitFor();
    await nightly.getByText('strict: first come, first served').waitFor();
    await nightly.getByText('2,000 W at once').waitFor();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('changes are found by who, what and target, and lead there', async () => {
    const { page, errors } = await signedIn('/audit');
    await rowOf(page, 'Changes', 'queue created nightly').waitFor();
    await page.getByLabel('Find changes by who, what or request').fill('schedule');
    await rowOf(page, 'Changes', 'queue created nightly').waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?q=schedule');
    await page.getByLabel('How far back').selectOption('week');
    await page.waitForURL((url) => url.search === '?span=week&q=schedule');
    await page.getByRole('link', { name: 'survey' }).first().click();
    await page.getByRole('heading', { name: 'survey' }).waitFor();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('a schedule shows its times, is paused after asking, and runs now', async () => {
    const { page, errors } = await signedIn('/schedules');
    await rowOf(page, 'Schedules', 'survey').getByText(/^in /).waitFor();
    await page.getByRole('link', { name: 'survey' }).click();
    const runs = page.getByRole('region', { name: 'List of times' });
    await runs.getByText('made a job').first().waitFor();
    const before = await runs.getByRole('row').count();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
    await runs.getByRole('row').nth(before).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    expect((await ask('GET', '/v1/schedules/survey')).paused).toBe(true);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await page.getByText(/^Next in /).waitFor();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('/ finds an edge, a job, a queue and a page with the keyboard alone', async () => {
    const { page, errors } = await signedIn('/jobs');
    for (const [text, title, path] of [
      ['edge-7', 'edge-7', '/edges/edge-7'],
      ['waits', 'waits', /^\/jobs\/\w+$/],
      ['nightly', 'nightly', '/jobs'],
      ['audit', 'Audit', '/audit'],
    ] as const) {
      await page.keyboard.press('/');
      await page.getByRole('combobox', { name: 'Search' }).fill(text);
      const hit = page.getByRole('option', { selected: true });
      await hit.getByText(title, { exact: true }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(new URL(page.url()).pathname).toMatch(path);
    }
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search' }).fill('never opened');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('keys lead to pages, are listed under ?, are ignored in a field, and can be switched off', async () => {
    const { page, errors } = await signedIn('/');
    await page.keyboard.press('?');
    for (const [, title] of goKeys) {
      await page.getByRole('dialog').getByText(title, { exact: true }).waitFor();
    }
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await page.getByRole('heading', { name: /queues?$/i }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    const field = page.getByLabel('Find jobs by name or id');
    await field.press('/');
    expect(await field.inputValue()).toBe('/');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('button', { name: 'Keys' }).click();
    await page.getByLabel('Keys without Ctrl or Alt do this').uncheck();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('?');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('dialog', { name: 'Search' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('many jobs are cancelled at once, and one that was refused is named', async () => {
    const ids: string[] = [];
    for (const name of ['bulk-1', 'bulk-2', 'bulk-3']) {
      const body = { name, chunks: 2, chunkPower: 9_000, labels: { many: 'yes' } };
      ids.push((await ask('POST', '/v1/jobs', body)).id);
    }
    await fleet.api.settle();
    const { page } = await signedIn('/jobs?label=many%3Dyes');
    await page.getByRole('heading', { name: '3 jobs' }).waitFor();
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Select bulk-1' }).check();
    await page.getByText('1 job selected').waitFor();
    await page.getByRole('button', { name: 'All shown' }).click();
    await page.getByText('3 jobs selected').waitFor();
    expect(await page.getByRole('button', { name: 'Retry' }).isDisabled()).toBe(true);
    await page.route(`**/v1/jobs/${ids[1]}`, (route) => {
      const body = JSON.stringify({ code: 'conflict', detail: 'Not this one.' });
      const headers = { 'access-control-allow-origin': stage.dashboard.url };
      return route.fulfill({ status: 409, body, headers });
    });
    await page.getByRole('button', { name: 'Cancel 3' }).click();
    await page.getByText('Cancel 3 jobs?').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    const said = page.getByRole('alert');
    await said.getByText('Done for 2; 1 job refused it.').waitFor();
    await said.getByText('bulk-2').waitFor();
    await said.getByText('Not this one.').waitFor();
    const states = await Promise.all(ids.map((id) => ask('GET', `/v1/jobs/${id}`)));
    expect(states.map(({ status }) => status.state)).toEqual(['cancelled', 'pending', 'cancelled']);
    await page.getByRole('button', { name: 'Cancel 1' }).waitFor();
    await page.context().close();
  });

  test('failed jobs are run again at once', async () => {
    const { items } = await ask('GET', '/v1/jobs?state=failed');
    const lost = items.filter(
      (job: { status: { chunks: { dead: number } } }) => job.status.chunks.dead,
    );
    expect(lost.length).toBeGreaterThan(0);
    const { page } = await signedIn('/jobs?state=failed');
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await page.getByRole('button', { name: 'All shown' }).click();
    await page.getByRole('button', { name: `Retry ${lost.length}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click();
    await page.getByText(`Done for ${lost.length}.`).waitFor();
    const [{ id }] = lost;
    expect((await ask('GET', `/v1/jobs/${id}`)).status.chunks.dead).toBe(0);
    await page.context().close();
  });

  test('many edges are cordoned for one reason, and taken back', async () => {
    const { page } = await signedIn('/?view=table&q=rack%3Dr5');
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await page.getByRole('button', { name: 'All shown' }).click();
    const cordon = page.getByRole('button', { name: /^Cordon \d+$/ });
    const count = Number((await cordon.textContent())?.split(' ')[1]);
    expect(count).toBeGreaterThan(1);
    await cordon.click();
    await page.getByLabel('Reason').fill('new switch');
    await page.getByRole('dialog').getByRole('button', { name: 'Cordon' }).click();
    await page.getByText(`Done for ${count}.`).waitFor();
    const { items } = await ask('GET', '/v1/edges?limit=500');
    const why = (edge: { reason: string | null }) => edge.reason === 'new switch';
    expect(items.filter(why)).toHaveLength(count);
    // Those that were out before are taken back as well: they are among the chosen.
    const chosen = await page.getByText(/^\d+ edges selected$/).textContent();
    const out = Number.parseInt(chosen ?? '', 10);
    await page.getByRole('button', { name: `Take back ${out}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `Cordon ${out}` }).waitFor();
    await page.context().close();
  });

  test.each(looks)(
    'has no accessibility violation and fits its window (%s)',
    async (name, options) => {
      const { page } = await signedIn('/', options);
      const paths = ['/pools', '/queues', '/audit', '/schedules', '/schedules/survey', '/tokens'];
      for (const path of paths) {
        await page.goto(path);
        await page.locator('.panel').first().waitFor();
        await page.locator('.loading').first().waitFor({ state: 'detached' });
        expect(await violations(page), path).toEqual([]);
        expect(await page.evaluate(overflow), path).toBeLessThanOrEqual(0);
        await look(page, `${name}${path.replaceAll('/', '-')}`);
      }
      await page.goto('/jobs');
      await page.getByRole('button', { name: 'Select', exact: true }).click();
      await page.getByRole('button', { name: 'All shown' }).click();
      expect(await violations(page), 'selection').toEqual([]);
      expect(await page.evaluate(overflow), 'selection').toBeLessThanOrEqual(0);
      await look(page, `${name}-selection`);
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await page.getByRole('combobox', { name: 'Search' }).fill('e');
      await page.getByRole('option').nth(5).waitFor();
      expect(await violations(page), 'search').toEqual([]);
      await look(page, `${name}-search`);
      await page.keyboard.press('Escape');
      if (name === 'phone') return page.context().close();
      await page.getByRole('button', { name: 'Keys' }).click();
      expect(await violations(page), 'keys').toEqual([]);
      await look(page, `${name}-keys`);
      await page.context().close();
    },
  );
});
