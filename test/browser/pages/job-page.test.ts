import { createHash } from 'node:crypto';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatManifest } from '../../../core/files/manifest.ts';
import { edgeNameOf, type JobId, jobIdOf } from '../../../core/model/names.ts';
import { pagedRowsMax } from '../../../dashboard/limits.ts';
import { violations } from '../accessibility.ts';
import { found } from '../chromium.ts';
import { addEndedJob } from '../ended-job.ts';
import { type Fleet, makeFleet } from '../fleet.ts';
import { look, looks, overflow } from '../looks.ts';
import { type ServedApi, serveApi } from '../served-api.ts';
import { openStage, type Stage, signIn } from '../stage.ts';
import { work } from '../work.ts';

/** The page of a job that is on more than a hundred edges, and of one that left files. */
const edgesCount = 700;
const chunks = 400;

let fleet: Fleet;
let api: ServedApi;
let stage: Stage;
let wide: JobId;
let left: JobId;
let failed: JobId;

/** As long as any that has to fit a small window. */
const receiver = `https://example.com/${'ended-'.repeat(40)}`;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const fileOf = (text: string) => ({ sha256: digestOf(text), bytes: Buffer.byteLength(text) });

describe.skipIf(found.path === null)('the page of a job', () => {
  beforeAll(async () => {
    fleet = await makeFleet(edgesCount, 3, Date.now());
    const body = { name: 'wide', chunks, chunkPower: 30 };
    wide = jobIdOf((await ask('POST', '/v1/jobs', { body })).id);
    await fleet.api.settle();
    await work(fleet, wide, chunks / 2);
    left = await leaveFiles({ 'frames/0.png': 'a picture', 'log <b>.txt': 'words' });
    failed = jobIdOf('many-failed');
    const at = { createdAtMs: Date.now() - 60_000, endedAtMs: Date.now() - 30_000 };
    await addEndedJob(fleet.stored, fleet.api.services.outputs, {
      ...{ id: failed, ...at, spec: { chunks: 90 }, state: 'failed', reason: 'chunks-failed' },
      ...{ done: 30, dead: 40, edges: [edgeNameOf('edge-3')] },
    });
    api = await serveApi(fleet.api);
    stage = await openStage(api.url);
    api.origin = stage.dashboard.url;
  });

  afterAll(async () => {
    await stage?.close();
    await api?.close();
  });

  const ask = async (method: string, path: string, more: object = {}) =>
    (await fleet.api.request(method, path, more)).json;

  async function signedIn(path: string, options: BrowserContextOptions = {}) {
    const opened = await stage.open(options);
    await signIn(opened.page, fleet.api.adminToken, path);
    return opened;
  }

  /** A job of one chunk that is done and whose edge has sent what it left. */
  async function leaveFiles(files: Readonly<Record<string, string>>): Promise<JobId> {
    const name = 'sender';
    const identity = { name, capacity: { power: 1_000 }, facts: { sendsFiles: true } };
    const { secret: token } = await ask('POST', '/v1/edges', { body: identity });
    const report = { b: 'boot', e: 0, n: 1, f: 1_000, w: {} };
    await ask('POST', `/v1/edges/${name}/report`, { token, body: report });
    const body = {
      name: 'left',
      chunks: 1,
      outputs: { paths: ['**'] },
      onEnd: { url: receiver },
      requires: { edges: [name] },
    };
    const { id } = await ask('POST', '/v1/jobs', { body });
    await fleet.api.settle();
    const list = formatManifest({
      files: Object.entries(files).map(([path, text]) => {
        return { path, ...fileOf(text), isExecutable: false };
      }),
      links: [],
    });
    const texts = [...Object.values(files), list];
    const wanted = { files: texts.map(fileOf) };
    const { items } = await ask('POST', `/v1/jobs/${id}/files/uploads`, { token, body: wanted });
    for (const [at, { uploadUrl: url, headers }] of items.entries()) {
      expect(fleet.api.services.results.put({ url, headers }, Buffer.from(texts[at]!))).toBe(200);
    }
    const headers = { 'content-type': 'application/octet-stream' };
    const said = { token, raw: Buffer.from('a complaint\n'), headers };
    await ask('PUT', `/v1/jobs/${id}/chunks/0/output?attempt=1&stream=stderr`, said);
    const bytes = Object.values(files).reduce((sum, text) => sum + text.length, 0);
    const count = Object.keys(files).length;
    const kept = { manifest: digestOf(list), files: count, bytes, attempt: 1, done: true };
    await ask('PUT', `/v1/jobs/${id}/chunks/0/files`, { token, body: kept });
    await work(fleet, jobIdOf(id), 1);
    return jobIdOf(id);
  }

  const rowsOf = (page: Page) => page.locator('.split-table tbody .row');
  const edgesOf = (page: Page) => page.locator('.split-table tbody .main-cell').allTextContents();

  test('a job on more than a hundred edges shows a screen of them, in any order', async () => {
    const all = (await ask('GET', `/v1/jobs/${wide}/executions?limit=500`)).items;
    expect(all.length).toBeGreaterThan(100);
    const { page, errors } = await signedIn(`/jobs/${wide}`);
    await page.getByRole('heading', { name: `Where it runs ${all.length} edges` }).waitFor();
    expect(await rowsOf(page).count()).toBe(pagedRowsMax);
    const [first] = await edgesOf(page);
    await page.getByRole('button', { name: 'Edge', exact: true }).click();
    await page.waitForURL((url) => url.search === '?sort=-edge');
    await page.locator('th[aria-sort="descending"]', { hasText: 'Edge' }).waitFor();
    expect((await edgesOf(page))[0]).not.toBe(first);
    await page.getByRole('button', { name: 'Done', exact: true }).click();
    await page.waitForURL((url) => url.search === '?sort=done');
    const pager = page.getByRole('navigation', { name: 'Pages of edges' });
    await pager.getByRole('button', { name: 'Next' }).click();
    await pager.getByText(`26–50 of ${all.length}`).waitFor();
    expect(new URL(page.url()).search).toBe('?sort=done&at=1');
    const second = await edgesOf(page);
    await page.reload();
    await pager.getByText(`26–50 of ${all.length}`).waitFor();
    expect(await edgesOf(page)).toEqual(second);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('what failed and what happened stand above the edges, forty failed chunks in two screens', async () => {
    const { page } = await signedIn(`/jobs/${failed}`);
    await page.getByText('Chunks have used up their attempts.').first().waitFor();
    await page.getByRole('navigation', { name: 'Pages of failed chunks' }).waitFor();
    const titles = await page.getByRole('heading', { level: 2 }).allTextContents();
    const order = ['Failed chunks', 'Timeline', 'Where it runs', 'Chunks and what they left'];
    const places = order.map((title) => titles.findIndex((one) => one.startsWith(title)));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThanOrEqual(0);
    expect(await rowsOf(page).count()).toBe(1);
    const panel = page.getByRole('region', { name: 'Failed chunks' });
    expect(await panel.locator('summary').count()).toBe(pagedRowsMax);
    await panel.getByRole('button', { name: 'Next' }).click();
    await panel.getByText('chunk 69', { exact: true }).waitFor();
    expect(await panel.locator('summary').count()).toBe(40 - pagedRowsMax);
    await page.context().close();
  });

  test('some chunks of a job are cancelled by their numbers, and a mistake is said', async () => {
    const { id } = await ask('POST', '/v1/jobs', { body: { chunks: 9, pool: 'spare' } });
    await fleet.api.settle();
    const { page, errors } = await signedIn(`/jobs/${id}`);
    await page.getByRole('button', { name: 'Cancel chunks' }).click();
    const dialog = page.getByRole('dialog');
    const ranges = dialog.getByLabel('Which of 0 to 8');
    await ranges.fill('7-9');
    await dialog.getByRole('button', { name: 'Cancel chunks' }).click();
    await dialog.getByText('This job has chunks 0 to 8.').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await ranges.fill('2-4');
    await dialog.getByRole('button', { name: 'Cancel chunks' }).click();
    await dialog.waitFor({ state: 'detached' });
    await fleet.api.settle();
    await page.getByRole('link', { name: 'cancelled 3' }).waitFor();
    expect((await ask('GET', `/v1/jobs/${id}`)).status.chunks).toMatchObject({ cancelled: 3 });
    // The browser notes what was refused.
    expect(errors.filter((line) => !line.includes('400'))).toEqual([]);
    await page.context().close();
  });

  test('a chunk that is done shows its files as links, and any chunk is found by its number', async () => {
    const { page, errors } = await signedIn(`/jobs/${left}`);
    const panel = page.getByRole('region', { name: 'Chunks and what they left' });
    await panel.getByText('chunk 0', { exact: true }).click();
    await page.getByText(receiver, { exact: true }).waitFor();
    const file = panel.getByRole('link', { name: 'frames/0.png' });
    expect(await file.getAttribute('href')).toMatch(/^https?:/);
    await panel.getByText('9 B', { exact: true }).waitFor();
    const said = panel.getByRole('region', { name: 'Standard error of the chunk' });
    await said.getByText('a complaint').waitFor();
    await panel.getByRole('link', { name: 'log <b>.txt' }).waitFor();
    await page.goto(`/jobs/${failed}`);
    const number = page.getByLabel('Show the chunk with this number');
    await number.fill('69');
    await number.press('Enter');
    await panel.getByText('chunk 69', { exact: true }).click();
    await panel.getByText('<b>no space left on device</b>').waitFor();
    await number.fill('90');
    await number.press('Enter');
    await page.getByText('The chunks of this job are 0 to 89.').waitFor();
    await number.fill('');
    await number.press('Enter');
    await panel.getByRole('link', { name: 'cancelled 20' }).click();
    await panel.getByText('chunk 70', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?chunks=cancelled');
    // The browser notes that nobody kept what the first of them printed.
    expect(errors.filter((line) => !line.includes('404'))).toEqual([]);
    await page.context().close();
  });

  test.each(looks)(
    'has no accessibility violation and fits its window (%s)',
    async (name, options) => {
      const { page } = await signedIn('/', options);
      for (const [what, id] of Object.entries({ wide, left, failed })) {
        await page.goto(`/jobs/${id}`);
        await page.locator('.split-table').waitFor();
        await page.locator('.loading').first().waitFor({ state: 'detached' });
        await page.locator('.attempts summary').first().click();
        expect(await violations(page), what).toEqual([]);
        expect(await page.evaluate(overflow), what).toBeLessThanOrEqual(0);
        await look(page, `${name}-job-${what}`);
      }
      await page.context().close();
    },
  );
});
