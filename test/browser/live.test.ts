import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runClient, startClient } from '../flow/cli/client.ts';
import { makePlace } from '../flow/start/place.ts';
import { type Place, until } from '../flow/start/stage.ts';
import { hangsMs } from '../wait-until.ts';
import { found, openBrowser } from './chromium.ts';

/**
 * The dashboard of `npm start` against the real thing: the template's own distribution, API and
 * scheduler, and agents that run the work. What the other browser tests believe about the API is
 * true here or nowhere.
 */
let place: Place;
let browser: Browser;
let page: Page;
const errors: string[] = [];
const edges = 4;

function dashboardOf({ state }: Place): { url: string; token: string } {
  const text = readFileSync(join(state, 'endpoints.json'), 'utf8');
  const { token, outputs } = JSON.parse(text) as {
    token: string;
    outputs: { DashboardUrl: string };
  };
  return { url: outputs.DashboardUrl, token };
}

async function openSignedIn(): Promise<Page> {
  const { url, token } = dashboardOf(place);
  const context = await browser.newContext({ baseURL: url });
  context.setDefaultTimeout(hangsMs);
  const opened = await context.newPage();
  opened.on('pageerror', (error) => errors.push(String(error)));
  opened.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) errors.push(message.text());
  });
  await opened.goto(`/#token=${token}`);
  await opened.getByRole('button', { name: 'Sign in' }).click();
  await opened
    .locator('a.cell-connected')
    .nth(edges - 1)
    .waitFor();
  return opened;
}

describe.skipIf(found.path === null)('the dashboard of npm start', () => {
  beforeAll(async () => {
    place = await makePlace();
    const stage = place.start('--edges', String(edges), '--no-requests');
    await until(
      'the stage is ready',
      () => {
        if (stage.process.exitCode !== null) throw new Error(stage.text());
        return place.endpoints();
      },
      120_000,
    );
    browser = await openBrowser();
    page = await openSignedIn();
  }, 240_000);

  afterAll(async () => {
    await browser?.close();
    await place?.remove();
  }, 60_000);

  test('follows a job from submit to done', async () => {
    await page.goto('/submit');
    await page.getByLabel('Power', { exact: true }).fill('403');
    await page.getByLabel('Name').fill('first-light');
    await page.getByLabel('Seconds a chunk').fill('2');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByRole('heading', { name: /4 chunks would go to \d edge/ }).waitFor();
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.getByRole('heading', { name: /first-light/ }).waitFor();
    await page.locator('.percent', { hasText: '100 %' }).waitFor();
    await page.locator('.page-head .badge', { hasText: 'done' }).waitFor();
    expect(await page.locator('.split-table tbody tr').count()).toBeGreaterThan(0);
  });

  test('shows what a failed chunk said', async () => {
    await page.goto('/submit');
    await page.getByLabel('Kind').selectOption('process');
    await page.getByLabel('Shell command').fill('echo no space left; exit 3');
    await page.getByLabel('Attempts a chunk').fill('1');
    await page.getByLabel('Name').fill('disk-full');
    await page.getByLabel('Power', { exact: true }).fill('2');
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.locator('.page-head .badge', { hasText: 'failed' }).waitFor();
    await page.locator('.attempts summary').first().click();
    await page
      .getByText('Output of', { exact: false })
      .or(page.getByText('no space left'))
      .last()
      .waitFor();
    expect(await page.getByRole('button', { name: 'Retry failed chunks' }).isEnabled()).toBe(true);
  });

  test('cancels what waits, and says why it waits', async () => {
    await page.goto('/submit');
    await page.getByLabel('Edge labels it needs').fill('site=moon');
    await page.getByLabel('Name').fill('to-the-moon');
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.getByText('labels-do-not-match').waitFor();
    await page.getByRole('button', { name: 'Cancel job' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel job' }).click();
    await page.locator('.page-head .badge', { hasText: 'cancelled' }).waitFor();
  });

  test('cordons an edge and takes it back', async () => {
    await page.goto('/');
    const name = await page.locator('a.cell').first().getAttribute('data-edge');
    await page.goto(`/edges/${name}`);
    await page.getByRole('button', { name: 'Cordon' }).click();
    await page.getByLabel('Reason').fill('new disk');
    await page.getByRole('dialog').getByRole('button', { name: 'Cordon' }).click();
    await page.locator('.state-line', { hasText: 'cordoned' }).waitFor();
    await page.getByRole('button', { name: 'Take back into service' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click();
    await page.locator('.state-line', { hasText: 'connected' }).waitFor();
  });

  test('makes a token that works, and ends it', async () => {
    await page.goto('/tokens');
    await page.getByLabel('Name').fill('reader');
    await page.getByLabel('see jobs and figures').check();
    await page.getByRole('button', { name: 'Make the token' }).click();
    const secret = await page.getByLabel('Secret').inputValue();
    const asked = async () => {
      const words = ['job', 'list', '-o', 'name', '--token', secret];
      return (await runClient(place.directory, ...words)).code;
    };
    expect(await asked()).toBe(0);
    await page.getByRole('button', { name: 'Revoke reader' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('row').filter({ hasText: 'reader' }).waitFor({ state: 'detached' });
    await until('the token is refused', async () => (await asked()) === 4);
  });

  test('follows what changes by a stream, and by waiting where none gets through', async () => {
    const streamed = page.waitForResponse(/\/graphql$/);
    await page.goto('/jobs');
    expect((await streamed).status()).toBe(200);
    expect((await streamed).headers()['content-type']).toContain('text/event-stream');
    const submit = async (name: string) => {
      const words = ['submit', '--power', '1', '--name', name, '-o', 'name'];
      expect((await runClient(place.directory, ...words)).code).toBe(0);
      await page.getByRole('row').filter({ hasText: name }).filter({ hasText: 'done' }).waitFor();
    };
    await submit('by-stream');
    await page.route(/\/graphql$/, (route) => route.abort());
    const waits = page.waitForRequest(/waitSeconds=/);
    await page.reload();
    await waits;
    await submit('by-event');
    await page.unroute(/\/graphql$/);
  });

  test('counts what was done', async () => {
    await page.goto('/');
    const plot = page.getByRole('img', { name: 'in the last hour' });
    await plot.waitFor();
    expect(await plot.getAttribute('aria-label')).toMatch(/^[1-9]\d* chunks in the last hour/);
  });

  test('shows an agent that comes, and is lost when it is killed at work', async () => {
    const agent = startClient(place.directory, ['agent', '--name', 'rover', '--power', '100']);
    await page.goto('/');
    await page.locator('a.cell-connected[data-edge="rover"]').waitFor();
    await page.goto('/submit');
    await page.getByRole('button', { name: 'JSON' }).click();
    const job = {
      name: 'long-haul',
      power: 10,
      chunks: 1,
      run: { simulate: { seconds: 600 } },
      requires: { edges: ['rover'] },
      lostAfterSeconds: 5,
    };
    await page.getByLabel('Job', { exact: true }).fill(JSON.stringify(job));
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.locator('.page-head .badge', { hasText: 'running' }).waitFor();
    agent.process.kill('SIGKILL');
    await page.getByRole('link', { name: 'Fleet', exact: true }).click();
    await page.locator('a.cell-late[data-edge="rover"], a.cell-lost[data-edge="rover"]').waitFor();
    await page.locator('a.cell-lost[data-edge="rover"]').waitFor();
    await agent.ended;
  }, 180_000);

  test('made no error on the way', () => {
    expect(errors).toEqual([]);
  });
});
