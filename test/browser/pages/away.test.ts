import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { edgeNameOf, type JobId, jobIdOf } from '../../../core/model/names.ts';
import { pauseMsMax } from '../../../dashboard/limits.ts';
import { violations } from '../accessibility.ts';
import { found } from '../chromium.ts';
import { addEndedJob } from '../ended-job.ts';
import { type Fleet, makeFleet } from '../fleet.ts';
import { look, looks } from '../looks.ts';
import { type ServedApi, serveApi } from '../served-api.ts';
import { openStage, type Stage, signIn } from '../stage.ts';

/**
 * The API goes away while pages are open, for longer than anybody waits. The clock of the page is
 * the test's, so that half an hour of pauses takes a second.
 */
const failuresMin = 31;

let fleet: Fleet;
let api: ServedApi;
let stage: Stage;
let failed: JobId;

describe.skipIf(found.path === null)('an API that is away', () => {
  beforeAll(async () => {
    fleet = await makeFleet(12, 8, Date.now());
    failed = jobIdOf('has-failed');
    const at = { createdAtMs: Date.now() - 60_000, endedAtMs: Date.now() - 30_000 };
    await addEndedJob(fleet.stored, fleet.api.services.outputs, {
      ...{ id: failed, ...at, spec: { chunks: 2 }, state: 'failed', reason: 'chunks-failed' },
      ...{ done: 1, dead: 1, edges: [edgeNameOf('edge-3')] },
    });
    api = await serveApi(fleet.api);
    stage = await openStage(api.url);
    api.origin = stage.dashboard.url;
  });

  afterAll(async () => {
    await stage?.close();
    await api?.close();
  });

  async function signedIn(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const { page } = await stage.open(options);
    await page.clock.install();
    await signIn(page, fleet.api.adminToken, path);
    return page;
  }

  /** Until this has failed so often, as fast as the page asks. */
  async function failOver(page: Page, path: RegExp, times: number): Promise<void> {
    for (let failures = 0; failures < times; failures++) {
      let isOver = false;
      const next = page
        .waitForEvent('requestfailed', (request) => path.test(request.url()))
        .finally(() => {
          isOver = true;
        });
      // The page may not yet know of the failure before this one.
      while (!isOver) await page.clock.fastForward(2 * pauseMsMax);
      await next;
    }
  }

  test('thirty failures of everything that a page reads are no dead end', async () => {
    for (const [path, shown, read] of [
      ['/', 'a.cell', /\/v1\/edges/],
      ['/jobs', '.job-table tbody .row', /\/v1\/jobs/],
      [`/jobs/${failed}`, '.split-table', /\/v1\/jobs\/has-failed$/],
      ['/pools', '.pool-table', /\/v1\/pools/],
    ] as const) {
      const page = await signedIn(path);
      await page.locator(shown).first().waitFor();
      api.trouble = 'offline';
      try {
        await failOver(page, read, failuresMin);
        await page.locator(shown).first().waitFor();
        await page
          .getByText(/As it was .+ ago\./)
          .first()
          .waitFor();
        await page.locator('.live-offline').waitFor();
      } finally {
        api.trouble = 'none';
      }
      await page.clock.fastForward(2 * pauseMsMax);
      await page.locator('.live-on').waitFor();
      await page.locator('.stale-note').first().waitFor({ state: 'detached' });
      await page.context().close();
    }
  });

  test('what a chunk printed comes after all', async () => {
    const page = await signedIn(`/jobs/${failed}`);
    await page.locator('.attempts summary').first().waitFor();
    await page.route(/\/output$/, (route) => route.abort());
    await page.locator('.attempts summary').first().click();
    const panel = page.getByRole('region', { name: 'Failed chunks' });
    await panel.getByRole('alert').getByText('The API cannot be reached.').waitFor();
    await failOver(page, /\/output$/, failuresMin);
    await panel
      .getByRole('alert')
      .getByText(/Next try in|Trying now/)
      .waitFor();
    await page.unroute(/\/output$/);
    await page.clock.fastForward(2 * pauseMsMax);
    await panel.getByText('<b>no space left on device</b>').waitFor();
    await page.context().close();
  });

  test('a page that does not find its API finds it later', async () => {
    const { page } = await stage.open();
    await page.clock.install();
    await page.route('**/config.json', (route) => route.abort());
    await page.goto('/jobs');
    await page.getByText('The dashboard does not know its API.').waitFor();
    await failOver(page, /config\.json$/, failuresMin);
    await page.unroute('**/config.json');
    await page.clock.fastForward(2 * pauseMsMax);
    await page.getByLabel('Token').waitFor();
    await page.context().close();
  });

  test('who signs in while the API is away is asked nothing twice, and gets in', async () => {
    api.trouble = 'offline';
    const { page } = await stage.open();
    try {
      await page.clock.install();
      await page.goto('/jobs');
      await page.getByText('The API does not answer.').waitFor();
      await failOver(page, /\/v1\/health$/, failuresMin);
      await page.getByLabel('Token').fill(fleet.api.adminToken);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').getByText('The API cannot be reached.').waitFor();
    } finally {
      api.trouble = 'none';
    }
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('row').nth(1).waitFor();
    await page.context().close();
  });

  test('one part that is refused looks stale, and the header stays live', async () => {
    const page = await signedIn('/');
    await page.locator('a.cell').first().waitFor();
    const body = JSON.stringify({ code: 'x', detail: 'Not for this token.' });
    await page.route(/\/v1\/edges/, (route) => route.fulfill({ status: 403, body }));
    await page.clock.fastForward(2 * pauseMsMax);
    await page.getByText('Not for this token.').waitFor();
    await page.locator('.live-on').waitFor();
    expect(await page.locator('a.cell').count()).toBe(12);
    const beside = '.panel:has(> .stale-note) > :not(.stale-note, .panel-head)';
    const filter = `getComputedStyle(document.querySelector('${beside}')).filter`;
    expect(await page.evaluate(filter)).toBe('grayscale(1)');
    await page.unroute(/\/v1\/edges/);
    await page.clock.fastForward(2 * pauseMsMax);
    await page.getByText('Not for this token.').waitFor({ state: 'detached' });
    await page.context().close();
  });

  test.each(looks)('stale figures have no accessibility violation (%s)', async (name, options) => {
    for (const path of ['/', `/jobs/${failed}`]) {
      const page = await signedIn(path, options);
      await page.locator('.panel').nth(1).waitFor();
      await page.locator('.loading').first().waitFor({ state: 'detached' });
      api.trouble = 'offline';
      try {
        await page.clock.fastForward(2 * pauseMsMax);
        await page.locator('.stale-note').first().waitFor();
        expect(await violations(page), path).toEqual([]);
        await look(page, `${name}-away${path.replaceAll('/', '-')}`);
      } finally {
        api.trouble = 'none';
      }
      await page.context().close();
    }
  });
});
