import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { violations } from './accessibility.ts';
import { found } from './chromium.ts';
import { countHour, type Fleet, makeFleet } from './fleet.ts';
import { type ServedApi, serveApi } from './served-api.ts';
import { openStage, type Stage, signIn } from './stage.ts';

/** Tokens as their owner makes and ends them, and the last hour as the API counted it. */
let fleet: Fleet;
let api: ServedApi;
let stage: Stage;

describe.skipIf(found.path === null)('tokens', () => {
  beforeAll(async () => {
    fleet = await makeFleet(4, 4, Date.now());
    countHour(fleet);
    api = await serveApi(fleet.api);
    stage = await openStage(api.url);
    api.origin = stage.dashboard.url;
  });

  afterAll(async () => {
    await stage?.close();
    await api?.close();
  });

  const tokens = async () => (await fleet.api.request('GET', '/v1/tokens')).json.items;

  async function signedIn(path: string, options = {}): Promise<{ page: Page; errors: string[] }> {
    const opened = await stage.open(options);
    await signIn(opened.page, fleet.api.adminToken, path);
    return opened;
  }

  test('a token is made, its secret is shown once and copied, and it is revoked after asking', async () => {
    const { page, errors } = await signedIn('/tokens', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByText('No tokens yet.').waitFor();
    const make = page.getByRole('button', { name: 'Make the token' });
    expect(await make.isDisabled()).toBe(true);
    await page.getByLabel('Name').fill('nightly');
    await page.getByLabel('see jobs and figures').check();
    await page.getByLabel('Only in the pool').fill('north');
    await make.click();
    await page.getByRole('heading', { name: 'nightly is made' }).waitFor();
    const secret = await page.getByLabel('Secret').inputValue();
    expect(secret).toMatch(/^ew_/);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    expect(await tokens()).toMatchObject([{ scopes: ['jobs:read'], pool: 'north' }]);
    expect((await fleet.api.request('GET', '/v1/jobs', { token: secret })).status).toBe(200);
    const row = page.getByRole('row').filter({ hasText: 'nightly' });
    expect(await row.textContent()).toContain('pool north');
    expect(await violations(page)).toEqual([]);

    await page.getByRole('button', { name: 'I have it' }).click();
    await page.getByLabel('Secret').waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);

    await page.getByRole('button', { name: 'Revoke nightly' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await tokens()).toHaveLength(1);
    await page.getByRole('button', { name: 'Revoke nightly' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No tokens yet.').waitFor();
    expect(await tokens()).toEqual([]);
    expect((await fleet.api.request('GET', '/v1/jobs', { token: secret })).status).toBe(401);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('what only an enrol token has is asked of it alone', async () => {
    const { page } = await signedIn('/tokens');
    await page.getByLabel('Name').fill('site');
    expect(await page.getByLabel('Edges it may enrol').count()).toBe(0);
    await page.getByLabel('bring in new edges').check();
    await page.getByLabel('Edges it may enrol').fill('5');
    await page.getByRole('button', { name: 'Make the token' }).click();
    await page.getByText('5 more edges').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    await page.context().close();
  });

  test('a phone shows the list and the form without scrolling sideways', async () => {
    const { page } = await signedIn('/tokens', { viewport: { width: 360, height: 740 } });
    await page.getByRole('button', { name: 'Revoke site' }).waitFor();
    const width = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(width)).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.context().close();
  });

  test('the last hour is what the API counted, whatever jobs are still listed', async () => {
    const { page } = await signedIn('/');
    const { minutes } = (await fleet.api.request('GET', '/v1/stats/history')).json;
    const sum = minutes
      .reduce((all: number, { chunks }: { chunks: number }) => all + chunks, 0)
      .toLocaleString('en');
    const plot = page.getByRole('img', { name: 'in the last hour' });
    await plot.waitFor();
    expect(await plot.getAttribute('aria-label')).toBe(
      `${sum} chunks in the last hour, at most 500 in a minute`,
    );
    await page.context().close();
  });
});
