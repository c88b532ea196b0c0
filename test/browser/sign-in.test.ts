import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIssuerKeys } from '../../adapters/oidc/issuer-keys.ts';
import { createPeople } from '../../adapters/oidc/people.ts';
import { parseGroupScopes } from '../../core/sign-in/groups.ts';
import { dashboardPolicy } from '../../lib/site/dashboard-headers.ts';
import { createApiStage } from '../lambdas/api/api-stage.ts';
import { createMemoryStores } from '../memory/stores.ts';
import { clientId, type Issuer, startIssuer } from '../sign-in/issuer.ts';
import { violations } from './accessibility.ts';
import { found } from './chromium.ts';
import { type ServedApi, serveApi } from './served-api.ts';
import { openStage, type Stage } from './stage.ts';

/** Somebody signs in at the issuer of the deployment, in a browser, under the page's own policy. */
let issuer: Issuer;
let api: ServedApi;
let stage: Stage;

describe.skipIf(found.path === null)('signing in', () => {
  beforeAll(async () => {
    issuer = await startIssuer();
    const settings = {
      issuer: issuer.url,
      audience: clientId,
      groupsClaim: 'groups',
      groups: parseGroupScopes('operators=jobs:read,jobs:write,edges:read'),
    };
    const people = createPeople(settings, createIssuerKeys(issuer.url));
    api = await serveApi(createApiStage(createMemoryStores(), { people, signIn: settings }));
    stage = await openStage(api.url, 0, dashboardPolicy(`${api.url} ${issuer.url}`));
    api.origin = stage.dashboard.url;
  });
  afterAll(async () => {
    await stage?.close();
    await api?.close();
    await issuer?.close();
  });

  const button = /^Sign in at 127/;

  test('leads to the page that was asked for, and keeps no code in its address', async () => {
    const { page, errors } = await stage.open();
    await page.goto('/jobs?state=done');
    await page.getByRole('button', { name: button }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    expect(page.url()).toBe(`${stage.dashboard.url}/jobs?state=done`);
    expect(await page.evaluate('Object.keys(sessionStorage).sort().join()')).toBe('edgewise-token');
    await page.reload();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test('an address that somebody else made signs nobody in', async () => {
    const { page } = await stage.open();
    await page.goto('/sign-in?code=stolen&state=guessed');
    await page.getByText('Nobody began to sign in here.').waitFor();
    expect(issuer.asked('/token')).toBe(1);
    expect(page.url()).toBe(`${stage.dashboard.url}/`);
    await page.context().close();
  });

  test('who is refused reads why, and may try again', async () => {
    const { page } = await stage.open();
    issuer.trouble = 'denied';
    await page.goto('/');
    await page.getByRole('button', { name: button }).click();
    await page.getByText('The issuer did not let you in: access_denied').waitFor();
    issuer.trouble = 'none';
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.context().close();
  });
});
