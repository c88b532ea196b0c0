import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { build } from 'vite';
import { type ServedDashboard, serveDashboard } from '../../scripts/serve-dashboard.ts';
import { hangsMs } from '../wait-until.ts';
import { openBrowser } from './chromium.ts';

/** The dashboard built from these very sources, served under its real policy, in a real browser. */
export type Stage = {
  readonly dashboard: ServedDashboard;
  readonly dist: string;
  /** A page of its own context; anything the page logged as an error is in `errors`. */
  open(options?: BrowserContextOptions): Promise<{ page: Page; errors: string[] }>;
  close(): Promise<void>;
};

const configFile = fileURLToPath(new URL('../../dashboard/vite.config.ts', import.meta.url));

/** `csp` where the page is to be served under another policy than that of a plain deployment. */
export async function openStage(apiUrl: string, port = 0, csp?: string): Promise<Stage> {
  const dist = await mkdtemp(join(tmpdir(), 'edgewise-dashboard-'));
  await build({ configFile, logLevel: 'error', build: { outDir: dist } });
  const dashboard = await serveDashboard({
    ...{ dir: dist, port, apiUrl },
    ...(csp === undefined ? {} : { csp }),
  });
  const browser: Browser = await openBrowser();
  return {
    dashboard,
    dist,
    async open(options = {}) {
      const context = await browser.newContext({
        viewport: { width: 1360, height: 860 },
        reducedMotion: 'reduce',
        colorScheme: 'light',
        ...options,
        baseURL: dashboard.url,
      });
      context.setDefaultTimeout(hangsMs);
      const page = await context.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      return { page, errors };
    },
    async close() {
      await browser.close();
      await dashboard.close();
      await rm(dist, { recursive: true, force: true });
    },
  };
}

/** Signs in by the form, as a person does. */
export async function signIn(page: Page, token: string, path = '/'): Promise<void> {
  await page.goto(path);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor();
}
