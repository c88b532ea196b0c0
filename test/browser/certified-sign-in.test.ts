import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIssuerKeys } from '../../adapters/oidc/issuer-keys.ts';
import { createPeople } from '../../adapters/oidc/people.ts';
import { parseGroupScopes } from '../../core/sign-in/groups.ts';
import { dashboardPolicy } from '../../lib/site/dashboard-headers.ts';
import { createApiStage } from '../lambdas/api/api-stage.ts';
import { createMemoryStores } from '../memory/stores.ts';
import { type CertifiedIssuer, startCertifiedIssuer } from '../sign-in/certified-issuer.ts';
import { found } from './chromium.ts';
import { type ServedApi, serveApi } from './served-api.ts';
import { openStage, type Stage } from './stage.ts';

/** Somebody signs in at the pages of an issuer that nobody here wrote. */
let issuer: CertifiedIssuer;
let api: ServedApi;
let stage: Stage;
let missing: string | null = null;
const installMsMax = 300_000;

describe.skipIf(found.path === null)('signing in at an issuer of others', () => {
  beforeAll(async () => {
    const started = await startCertifiedIssuer();
    if ('missing' in started) {
      missing = started.missing;
      return;
    }
    issuer = started;
    const settings = {
      issuer: issuer.url,
      audience: 'edgewise-people',
      groupsClaim: 'groups',
      groups: parseGroupScopes('operators=jobs:read,jobs:write,edges:read'),
    };
    const people = createPeople(settings, createIssuerKeys(issuer.url));
    api = await serveApi(createApiStage(createMemoryStores(), { people, signIn: settings }));
    stage = await openStage(api.url, 0, dashboardPolicy(`${api.url} ${issuer.url}`));
    api.origin = stage.dashboard.url;
  }, installMsMax);
  afterAll(async () => {
    await stage?.close();
    await api?.close();
    await issuer?.close();
  });

  test('leads through its pages back to the page that was asked for', async ({ skip }) => {
    if (missing !== null) return skip(missing);
    const { page, errors } = await stage.open();
    await page.goto('/jobs?state=done');
    await page.getByRole('button', { name: /^Sign in at 127/ }).click();
    await page.getByPlaceholder('Enter any login').fill('ann');
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    expect(page.url()).toBe(`${stage.dashboard.url}/jobs?state=done`);
    // Its pages want a font and an icon that are not here; ours miss nothing.
    expect(errors.filter((error) => !error.startsWith('Failed to load resource'))).toEqual([]);
    await page.context().close();
  });

  test('who turns back at the issuer reads why', async ({ skip }) => {
    if (missing !== null) return skip(missing);
    const { page } = await stage.open();
    await page.goto('/');
    await page.getByRole('button', { name: /^Sign in at 127/ }).click();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByText('The issuer did not let you in: End-User aborted interaction').waitFor();
    await page.context().close();
  });
});
