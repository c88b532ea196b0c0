import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { violations } from './accessibility.ts';
import { found } from './chromium.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';
import { failedChunk, makeJob, makeWorld, placeJob, setProgress } from './fake-world.ts';
import { openStage, type Stage, signIn } from './stage.ts';

/** The dashboard as people use it, in a real browser, against the API's contract. */
let api: FakeApi;
let stage: Stage;

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

describe.skipIf(found.path === null)('the dashboard', () => {
  beforeAll(async () => {
    api = await startFakeApi(makeWorld(40, 60, Date.now()));
    stage = await openStage(api.url);
    api.origin = stage.dashboard.url;
  });

  afterAll(async () => {
    await stage?.close();
    await api?.close();
  });

  async function signedIn(path = '/', options = {}): Promise<{ page: Page; errors: string[] }> {
    const opened = await stage.open(options);
    await signIn(opened.page, api.token, path);
    return opened;
  }

  test('asks for a token, refuses a wrong one, and keeps it for the tab only', async () => {
    const { page } = await stage.open();
    await page.goto('/jobs?state=done');
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('does not accept this token').waitFor();
    await page.getByLabel('Token').fill(api.token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /jobs$/ }).waitFor();
    expect(new URL(page.url()).search).toBe('?state=done');
    expect(await page.evaluate('localStorage.length')).toBe(0);
    await page.reload();
    await page.getByRole('heading', { name: /jobs$/ }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await page.context().close();
  });

  test('a token in the address fills the form, signs nobody in and leaves the address', async () => {
    const { page } = await stage.open();
    await page.goto(`/#token=${api.token}`);
    expect(await page.getByLabel('Token').inputValue()).toBe(api.token);
    expect(page.url()).not.toContain(api.token);
    await page.context().close();
  });

  test('shows a job from submit to done without a reload', async () => {
    const { page, errors } = await signedIn('/submit');
    api.onSubmit = (job) => placeJob(api.world, job, ['edge-1', 'edge-2']);
    await page.getByLabel('Power', { exact: true }).fill('400');
    await page.getByRole('textbox', { name: 'Chunks' }).fill('40');
    await page.getByLabel('Name').fill('first-job');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('40 chunks would go to 2 edges').waitFor();
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.getByRole('heading', { name: /first-job/ }).waitFor();
    const job = [...api.world.jobs.values()].find(({ name }) => name === 'first-job');
    if (job === undefined) throw new Error('the job should have been submitted');
    for (const percent of [25, 60, 100]) {
      setProgress(api.world, job, percent);
      await page.locator('.percent', { hasText: `${percent} %` }).waitFor();
    }
    await page.locator('.badge', { hasText: 'done' }).waitFor();
    await page.getByText('job-done').waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'edge-1' }).textContent()).toMatch(
      /100 %/,
    );
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('a refused submission names the field', async () => {
    const { page } = await signedIn('/submit');
    await page.getByLabel('Power', { exact: true }).fill('0');
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.getByText('must be a positive integer').waitFor();
    await page.getByText('/power').waitFor();
    await page.context().close();
  });

  test('cancels a job after asking', async () => {
    const job = makeJob(api.world, {
      id: 'to-cancel-0000000',
      createdMs: Date.now(),
      spec: { name: 'to-cancel', chunks: 20 },
    });
    const { page } = await signedIn(`/jobs/${job.id}`);
    await page.getByText('Every matching edge is busy').waitFor();
    await page.getByRole('button', { name: 'Cancel job' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(job.status.state).toBe('pending');
    await page.getByRole('button', { name: 'Cancel job' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel job' }).click();
    await page.locator('.badge', { hasText: 'cancelled' }).waitFor();
    expect(job.status.state).toBe('cancelled');
    await page.context().close();
  });

  test('shows the output of a failed chunk as text, and retries it', async () => {
    const job = makeJob(api.world, {
      id: 'to-retry-00000000',
      createdMs: Date.now(),
      spec: { name: '<img src=x onerror=alert(1)>', chunks: 2 },
    });
    job.status.chunks = { ...job.status.chunks, pending: 0, done: 1, dead: 1 };
    job.status.state = 'failed';
    job.failed.push(failedChunk(1, 'edge-3', 'exit 1', new Date().toISOString()));
    const { page, errors } = await signedIn(`/jobs/${job.id}`);
    await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>' }).waitFor();
    await page.getByText('chunk 1', { exact: true }).click();
    await page.getByText('<b>no space left on device</b>').waitFor();
    await page.getByRole('button', { name: 'Retry failed chunks' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry failed chunks' }).click();
    await page.getByRole('heading', { name: /^Failed chunks/ }).waitFor({ state: 'detached' });
    expect(job.status.chunks.pending).toBe(1);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('cordons an edge with a reason, which shows everywhere at once', async () => {
    const edge = [...api.world.edges.values()].find((one) => one.state === 'connected');
    if (edge === undefined) throw new Error('the world should have a connected edge');
    const { page } = await signedIn(`/edges/${edge.name}`);
    await page.getByRole('button', { name: 'Cordon' }).click();
    await page.getByLabel('Reason').fill('new disk');
    await page.getByRole('dialog').getByRole('button', { name: 'Cordon' }).click();
    await page.locator('.state-line', { hasText: 'cordoned' }).waitFor();
    await page.getByText('“new disk”').waitFor();
    await page.getByRole('link', { name: 'Fleet', exact: true }).first().click();
    await page.locator(`a.cell-drained[data-edge="${edge.name}"]`).waitFor();
    await page.locator(`a[data-edge="${edge.name}"]`).click();
    await page.getByRole('button', { name: 'Take back into service' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click();
    await page.locator('.state-line', { hasText: 'connected' }).waitFor();
    await page.getByRole('button', { name: 'Drain' }).click();
    await page.getByLabel('Reason').fill('moves to the hill');
    await page.getByLabel('Deadline in seconds').fill('30');
    await page.getByRole('dialog').getByRole('button', { name: 'Drain' }).click();
    await page.locator('.state-line', { hasText: 'draining' }).waitFor();
    await page.context().close();
  });

  test('filters jobs, and the address carries the filter to somebody else', async () => {
    const { page } = await signedIn('/jobs');
    await page.getByRole('link', { name: 'failed', exact: true }).click();
    await page.getByLabel('Only jobs of this label').fill('team=b');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.search === '?state=failed&label=team%3Db');
    await page.getByRole('heading', { name: /^\d+ jobs?$/ }).waitFor();
    const rows = await page.getByRole('row').allTextContents();
    expect(rows.length).toBeGreaterThan(1);
    for (const row of rows.slice(1)) expect(row).toContain('failed');

    const other = await signedIn(new URL(page.url()).pathname + new URL(page.url()).search);
    await other.page.getByRole('heading', { name: /^\d+ jobs?$/ }).waitFor();
    expect(await other.page.getByRole('row').count()).toBe(rows.length);
    expect(await other.page.getByLabel('Only jobs of this label').inputValue()).toBe('team=b');
    await page.getByLabel('Find jobs by name or id').fill('nothing-like-this');
    await page.getByText('No job matches.').waitFor();
    await page.context().close();
    await other.page.context().close();
  });

  test('shows an edge that is lost, by lamp, word and count', async () => {
    const edge = [...api.world.edges.values()].findLast((one) => one.state === 'connected');
    if (edge === undefined) throw new Error('the world should have a connected edge');
    const { page } = await signedIn('/');
    await page.locator(`a.cell-connected[data-edge="${edge.name}"]`).waitFor();
    edge.state = 'lost';
    edge.lastSeenAt = new Date(Date.now() - 240_000).toISOString();
    await page.locator(`a.cell-lost[data-edge="${edge.name}"]`).waitFor();
    await page.locator(`a.cell-lost[data-edge="${edge.name}"]`).hover();
    await page.locator('.inspector', { hasText: 'lost: its work went elsewhere' }).waitFor();
    await page.locator('.inspector', { hasText: 'seen 4 min ago' }).waitFor();
    const lost = [...api.world.edges.values()].filter((one) => one.state === 'lost').length;
    await page.getByRole('link', { name: `lost ${lost}` }).click();
    await page.getByRole('heading', { name: `${lost} edge` }).waitFor();
    expect(new URL(page.url()).search).toBe('?lamp=lost');
    await page.context().close();
  });

  test('is walked with the keyboard alone', async () => {
    const { page } = await signedIn('/');
    await page.locator('a.cell').first().focus();
    const focused = () => page.evaluate('document.activeElement.dataset.edge');
    const first = await focused();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    const there = await focused();
    expect(there).not.toBe(first);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: String(there), exact: true }).waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.goBack();
    await page.locator('a.cell').first().waitFor();
    expect(await page.locator('a.cell[tabindex="0"]').count()).toBe(1);
    await page.context().close();
  });

  test('keeps what it knows while the API is away, says so, and comes back by itself', async () => {
    const { page } = await signedIn('/');
    await page.locator('a.cell').first().waitFor();
    api.trouble = 'offline';
    await page.getByText('The API cannot be reached.').first().waitFor();
    expect(await page.locator('a.cell').count()).toBe(api.world.edges.size);
    api.trouble = 503;
    await page.locator('.live-slow').waitFor();
    api.trouble = 'none';
    await page.locator('.live-on').waitFor();
    await page.context().close();
  });

  test('signs out when the token is no longer good, and says why', async () => {
    const { page } = await signedIn('/jobs?state=done');
    await page.getByRole('row').nth(1).waitFor();
    api.trouble = 401;
    await page.getByRole('alert').filter({ hasText: 'Switched on.' }).waitFor();
    api.trouble = 'none';
    await page.getByLabel('Token').fill(api.token);
    await page.keyboard.press('Enter');
    await page.getByRole('row').nth(1).waitFor();
    await page.context().close();
  });

  test('fits a phone: nothing is wider than the window', async () => {
    const { page } = await signedIn('/', phone);
    const job = [...api.world.jobs.values()].find(({ failed }) => failed.length > 0);
    for (const path of [
      '/',
      '/?view=table',
      '/jobs',
      `/jobs/${job?.id}`,
      '/edges/edge-1',
      '/submit',
    ]) {
      await page.goto(path);
      await page.locator('.panel').first().waitFor();
      await page.locator('.loading').first().waitFor({ state: 'detached' });
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(wide, path).toBeLessThanOrEqual(0);
    }
    await page.context().close();
  });

  const looks: [string, BrowserContextOptions][] = [
    ['light', {}],
    ['dark', { colorScheme: 'dark' }],
    ['phone', phone],
  ];
  test.each(looks)('has no accessibility violation (%s)', async (_name, options) => {
    const { page } = await stage.open(options);
    await page.goto('/');
    await page.getByLabel('Token').waitFor();
    expect(await violations(page)).toEqual([]);
    await signIn(page, api.token);
    const job = [...api.world.jobs.values()].find(({ failed }) => failed.length > 0);
    for (const path of [
      '/',
      '/?view=table',
      '/jobs',
      `/jobs/${job?.id}`,
      '/edges/edge-1',
      '/submit',
    ]) {
      await page.goto(path);
      await page.locator('.panel').first().waitFor();
      await page.locator('.loading').first().waitFor({ state: 'detached' });
      expect(await violations(page), path).toEqual([]);
    }
    await page.goto('/edges/edge-1');
    await page.getByRole('button', { name: 'Drain' }).click();
    expect(await violations(page), 'dialog').toEqual([]);
    await page.context().close();
  });

  test('is empty in words when there is nothing', async () => {
    const empty = await startFakeApi(makeWorld(0, 0, Date.now()));
    const { edges, jobs } = api.world;
    Object.assign(api.world, { edges: empty.world.edges, jobs: empty.world.jobs });
    const { page } = await signedIn('/');
    await page.getByText('No edges yet.').waitFor();
    await page.goto('/jobs');
    await page.getByText('No jobs yet.').waitFor();
    await page.goto('/jobs/none');
    await page.getByText('nothing here by that name').waitFor();
    await page.goto('/nowhere');
    await page.getByText('no page at this address').waitFor();
    Object.assign(api.world, { edges, jobs });
    await empty.close();
    await page.context().close();
  });
});
