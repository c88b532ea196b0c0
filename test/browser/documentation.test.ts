import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeSite } from '../../scripts/site/write-site.ts';
import { violations } from './accessibility.ts';
import { found, openBrowser } from './chromium.ts';

/** The site as somebody opens it from a disk, without any server. */
const directory = mkdtempSync(join(tmpdir(), 'edgewise-site-'));
const address = (file: string): string => pathToFileURL(join(directory, file)).href;
const errors: string[] = [];
let browser: Browser;
let page: Page;

beforeAll(async () => {
  if (found.path === null) return;
  writeSite({ directory, source: null });
  browser = await openBrowser();
  page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.on('console', (message) => errors.push(message.text()));
  page.on('pageerror', ({ message }) => errors.push(message));
});

afterAll(async () => {
  await browser?.close();
  rmSync(directory, { recursive: true });
});

const inBrowser = test.skipIf(found.path === null);
const results = '.results li[data-href]';

inBrowser('what is looked for is found by the keyboard alone', async () => {
  await page.goto(address('guides/a-sweep.html'));
  await page.keyboard.press('/');
  await page.keyboard.type('edge drain');
  await page.waitForSelector(results);
  expect(await page.locator(results).first().innerText()).toContain('edgewise edge drain');
  expect(await page.locator(`${results} mark`).count()).toBeGreaterThan(0);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.waitForURL(/cli\.html#edgewise-edge-drain-edge$/);
  expect(await page.locator('#edgewise-edge-drain-edge').isVisible()).toBe(true);
});

inBrowser('odd words find nothing and break nothing', async () => {
  await page.goto(address('index.html'));
  for (const words of ['(((', '[a-z]+\\', '<img src=x onerror=alert(1)>', 'zzzz qqqq']) {
    await page.getByRole('combobox').fill(words);
    await page.getByText(`Nothing has “${words}”.`).waitFor();
  }
  await page.keyboard.press('Escape');
  expect(await page.locator('.results').isVisible()).toBe(false);
});

inBrowser('a page says where one is, and which is next', async () => {
  await page.goto(address('guides/first-job.html'));
  expect(await page.locator('.menu a[aria-current="page"]').innerText()).toBe('Your first job');
  await page.locator('.turns a[rel="next"]').click();
  await page.waitForURL(/guides\/files-in-and-out\.html$/);
});

inBrowser.each([
  ['light', 1400],
  ['dark', 1400],
  ['light', 390],
] as const)('no axe violation, no sideways scroll: %s, %i wide', async (colorScheme, width) => {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
  for (const file of ['index.html', 'guides/aws.html', 'concepts.html']) {
    await page.goto(address(file));
    expect(await violations(page), `${file} ${colorScheme}`).toEqual([]);
  }
  for (const file of ['guides/aws.html', 'promises.html', 'fields.html', 'cli.html']) {
    await page.goto(address(file));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
  await page.close();
});

inBrowser('nothing went wrong on any of these pages', () => {
  expect(errors).toEqual([]);
});
