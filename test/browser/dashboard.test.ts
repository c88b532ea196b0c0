import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { edgeNameOf, jobIdOf } from '../../core/model/names.ts';
import { violations } from './accessibility.ts';
import { found } from './chromium.ts';
import { addEndedJob, type EndedJob } from './ended-job.ts';
import { type Fleet, loseEdge, makeFleet } from './fleet.ts';
import { type ServedApi, serveApi } from './served-api.ts';
import { openStage, type Stage, signIn } from './stage.ts';
import { work } from './work.ts';

/** The dashboard as people use it, in a real browser, on the handlers of the API. */
let fleet: Fleet;
let api: ServedApi;
let token: string;
let stage: Stage;
/** A job of the past that failed. */
let failed: string;

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

describe.skipIf(found.path === null)('the dashboard', () => {
  beforeAll(async () => {
    fleet = await makeFleet(40, 60, Date.now());
    token = fleet.api.adminToken;
    failed = (await read('/v1/jobs?state=failed')).items[0].id;
    api = await serveApi(fleet.api);
    stage = await openStage(api.url);
    api.origin = stage.dashboard.url;
  });

  afterAll(async () => {
    await stage?.close();
    await api?.close();
  });

  async function read(path: string) {
    return (await fleet.api.request('GET', path)).json;
  }

  /** An edge of the fleet that is in service. */
  async function anEdge(at: number): Promise<string> {
    const { items } = await read('/v1/edges?state=connected&limit=500');
    const open = items.filter((edge: { cordoned: boolean }) => !edge.cordoned);
    return open.at(at).name;
  }

  async function signedIn(path = '/', options = {}): Promise<{ page: Page; errors: string[] }> {
    const opened = await stage.open(options);
    await signIn(opened.page, token, path);
    return opened;
  }

  async function aFailedJob(name: string, spec: EndedJob['spec']) {
    const id = jobIdOf(name);
    const at = { createdAtMs: Date.now() - 60_000, endedAtMs: Date.now() - 30_000 };
    await addEndedJob(fleet.stored, fleet.api.services.outputs, {
      ...{ id, ...at, spec, state: 'failed', reason: 'chunks-failed', done: 1, dead: 1 },
      edges: [edgeNameOf('edge-3')],
    });
    return id;
  }

  test('asks for a token, refuses a wrong one, and keeps it for the tab only', async () => {
    const { page } = await stage.open();
    await page.goto('/jobs?state=done');
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('does not accept this token').waitFor();
    await page.getByLabel('Token').fill(token);
    await page.getByLabel('Token').press('Enter');
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
    await page.goto(`/#token=${token}`);
    expect(await page.getByLabel('Token').inputValue()).toBe(token);
    expect(page.url()).not.toContain(token);
    await page.context().close();
  });

  test('shows a job from submit to done without a reload', async () => {
    const { page, errors } = await signedIn('/submit');
    await page.getByLabel('Power', { exact: true }).fill('400');
    await page.getByRole('textbox', { name: 'Chunks' }).fill('40');
    await page.getByLabel('Name').fill('first-job');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText(/40 chunks would go to \d+ edges/).waitFor();
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.getByRole('heading', { name: /first-job/ }).waitFor();
    const [job] = (await read('/v1/jobs?limit=1')).items;
    expect(job.name).toBe('first-job');
    for (const percent of [0, 25, 60, 100]) {
      await work(fleet, job.id, (40 * percent) / 100);
      await page.locator('.percent', { hasText: `${percent} %` }).waitFor();
    }
    await page.locator('.page-head .badge', { hasText: 'done' }).waitFor();
    await page.getByText('40 of 40 chunks done.').waitFor();
    const [{ edge }] = (await read(`/v1/jobs/${job.id}/executions`)).items;
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: edge }) });
    expect(await row.textContent()).toMatch(/100 %/);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('a job of long chunks moves while none of them has ended', async () => {
    const body = { name: 'long-chunks', power: 403, chunks: 4 };
    const { id } = (await fleet.api.request('POST', '/v1/jobs', { body })).json;
    await fleet.api.settle();
    const { page } = await signedIn(`/jobs/${id}`);
    for (const [first, percent] of [
      [50, 12],
      [90, 22],
      [10, 22],
    ] as const) {
      await work(fleet, id, 0, new Map([[0, first]]));
      expect((await read(`/v1/jobs/${id}`)).status.percent).toBe(percent);
      await page.locator('.percent', { hasText: `${percent} %` }).waitFor();
    }
    await page.context().close();
  });

  test('a refused submission names the field', async () => {
    const { page } = await signedIn('/submit');
    await page.getByLabel('Power', { exact: true }).fill('0');
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.getByText('This must be at least 1.').first().waitFor();
    await page.getByText('/power', { exact: true }).waitFor();
    await page.context().close();
  });

  test('cancels a job after asking', async () => {
    const body = { name: 'to-cancel', chunks: 20, chunkPower: 1_000 };
    const { id } = (await fleet.api.request('POST', '/v1/jobs', { body })).json;
    await fleet.api.settle();
    const stateOf = async () => (await read(`/v1/jobs/${id}`)).status.state;
    const { page } = await signedIn(`/jobs/${id}`);
    await page.getByText('One chunk asks for more than any edge has.').waitFor();
    await page.getByRole('button', { name: 'Cancel job' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await stateOf()).toBe('pending');
    await page.getByRole('button', { name: 'Cancel job' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel job' }).click();
    await page.locator('.page-head .badge', { hasText: 'cancelled' }).waitFor();
    expect(await stateOf()).toBe('cancelled');
    await page.context().close();
  });

  test('shows the output of a failed chunk as text, and retries it', async () => {
    const id = await aFailedJob('to-retry', { name: '<img src=x onerror=alert(1)>', chunks: 2 });
    const { page, errors } = await signedIn(`/jobs/${id}`);
    await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>' }).waitFor();
    await page.getByText('chunk 1', { exact: true }).click();
    await page.getByText('<b>no space left on device</b>').waitFor();
    await page.locator('.printed-fg-1', { hasText: 'red' }).waitFor();
    await page.getByText('␛]0;renamed^G').waitFor();
    expect(await page.title()).not.toContain('renamed');
    await page.getByRole('button', { name: 'Retry failed chunks' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry failed chunks' }).click();
    await page.getByRole('heading', { name: /^Failed chunks/ }).waitFor({ state: 'detached' });
    expect((await read(`/v1/jobs/${id}`)).status.chunks).toMatchObject({ done: 1, dead: 0 });
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('cordons an edge with a reason, which shows everywhere at once', async () => {
    const edge = await anEdge(0);
    const { page } = await signedIn(`/edges/${edge}`);
    await page.getByRole('button', { name: 'Cordon' }).click();
    await page.getByLabel('Reason').fill('new disk');
    await page.getByRole('dialog').getByRole('button', { name: 'Cordon' }).click();
    await page.locator('.state-line', { hasText: 'cordoned' }).waitFor();
    await page.getByText('“new disk”').waitFor();
    await page.getByRole('link', { name: 'Fleet', exact: true }).first().click();
    await page.locator(`a.cell-drained[data-edge="${edge}"]`).waitFor();
    await page.locator(`a[data-edge="${edge}"]`).click();
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
    await page.waitForURL((url) => url.search === '?state=failed');
    await page.locator('a[aria-current="true"]', { hasText: /^failed$/ }).waitFor();
    const label = page.getByLabel('Only jobs of this label');
    await label.fill('team=b');
    // The list changes while somebody types.
    await aFailedJob('fails-meanwhile', { chunks: 2, labels: { team: 'b' } });
    await page.getByText('fails-meanwhile').first().waitFor();
    expect(await label.inputValue()).toBe('team=b');
    await label.press('Enter');
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

  test('shows an edge that is lost, by shape, word and count', async () => {
    const edge = await anEdge(-1);
    const { page } = await signedIn('/');
    await page.locator(`a.cell-connected[data-edge="${edge}"]`).waitFor();
    loseEdge(fleet, edgeNameOf(edge), Date.now() - 240_000);
    await page.locator(`a.cell-lost[data-edge="${edge}"]`).waitFor();
    await page.locator(`a.cell-lost[data-edge="${edge}"]`).hover();
    await page.locator('.inspector', { hasText: 'lost: its work went elsewhere' }).waitFor();
    await page.locator('.inspector', { hasText: 'seen 4 min ago' }).waitFor();
    const lost = (await read('/v1/edges?state=lost&limit=500')).items.length;
    await page.getByRole('link', { name: `lost ${lost}` }).click();
    await page.getByRole('heading', { name: `${lost} edge` }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=lost');
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
    await page.locator('#main:focus').waitFor();
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
    expect(await page.locator('a.cell').count()).toBe(40);
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
    await page.getByLabel('Token').fill(token);
    await page.getByLabel('Token').press('Enter');
    await page.getByRole('row').nth(1).waitFor();
    await page.context().close();
  });

  test('fits a phone: nothing is wider than the window', async () => {
    const { page } = await signedIn('/', phone);
    for (const path of [
      '/',
      '/?view=table',
      '/jobs',
      `/jobs/${failed}`,
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
    await signIn(page, token);
    for (const path of [
      '/',
      '/?view=table',
      '/jobs',
      `/jobs/${failed}`,
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
    api.stage = (await makeFleet(0, 0, Date.now())).api;
    const { page } = await signedIn('/');
    await page.getByText('No edges yet.').waitFor();
    await page.goto('/jobs');
    await page.getByText('No jobs yet.').waitFor();
    await page.goto('/jobs/none');
    await page.getByText('There is no job "none".').waitFor();
    await page.goto('/nowhere');
    await page.getByText('no page at this address').waitFor();
    api.stage = fleet.api;
    await page.context().close();
  });
});
