import { writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readStack } from '../../scripts/deploy/account.ts';
import { until } from '../flow/start/stage.ts';
import { clientId, type Issuer, startIssuer } from '../sign-in/issuer.ts';
import { ask, deployFlags, emulator, runScript, type Said, standing } from './emulated.ts';

/** A stage comes up from nothing with the command that users have, and changes by it. */
const stack = 'Edgewise-trial';
let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

/** As CDK prints the first resources of the stack. */
const underWay = /Edgewise-trial \| +\d+\/\d+ .*CREATE_IN_PROGRESS/;

const deploy = (...flags: string[]): Promise<Said> =>
  runScript('deploy', ['--stage', 'trial', ...deployFlags, ...flags]);

test('without a terminal nothing is changed that nobody asked for', async () => {
  const { code, text } = await runScript('deploy', ['--stage', 'trial']);
  expect(code, text).toBe(1);
  expect(text).toContain('is not prepared for the CDK yet');
  expect(text).toContain('--bootstrap is the answer');
  expect((await runScript('deploy', ['--stage', 'Trial'])).text).toContain('two to sixteen');
});

test('credentials of another account are refused before anything is changed', async () => {
  const said = await deploy('--in', '111111111111');
  expect(said.code, said.text).toBe(1);
  expect(said.text).toContain(
    `${stack} belongs in 111111111111; these credentials are of 000000000000/eu-west-1`,
  );
  const foreign = { env: { AWS_ACCESS_KEY_ID: '111111111111' } };
  const words = ['--stage', 'trial', ...deployFlags, '--in', '000000000000/eu-west-1'];
  const { code, text } = await runScript('deploy', words, foreign);
  expect(code, text).toBe(1);
  expect(text).toContain('these credentials are of 111111111111/eu-west-1');
  expect(await readStack('CDKToolkit')).toBeNull();
});

test('what is killed in the middle is repeated', async () => {
  const flags = ['--stage', 'trial', ...deployFlags];
  const { code, text } = await runScript('deploy', flags, { until: underWay });
  expect([code, text], text).toEqual([null, expect.stringMatching(underWay)]);
  await until('the stack is let go', async () => {
    const status = (await readStack(stack))?.StackStatus ?? '';
    return status !== '' && !status.endsWith('_IN_PROGRESS');
  });
});

test('a stage is deployed, with its dashboard, and says how to go on', async () => {
  const signIn = { Issuer: issuer.url, Client: clientId, Groups: 'operators=jobs:read' };
  const { code, text } = await deploy(
    ...Object.entries(signIn).flatMap(([id, to]) => ['--parameter', `SignIn${id}=${to}`]),
  );
  expect(code, text).toBe(0);
  expect(text).toContain(`${stack} in 000000000000/eu-west-1`);
  expect(text).toMatch(/published \([1-9]\d* new files\)/);
  expect(text).toContain('token create first-edge --scope edges:enrol');
  const { api, token } = await standing(stack);
  expect(await ask({ api, token }, '/v1/health')).toMatchObject({ ok: true });
  const { AWS_REGION: region } = process.env;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const said = { api, token, aws: emulator.url, region, credentials };
  writeFileSync(process.env.EDGEWISE_ENDPOINTS!, JSON.stringify(said));
});

test('a change is an update, and what stands as it should is left alone', async () => {
  const topic = ['--alarm-topic', 'arn:aws:sns:eu-west-1:000000000000:on-call'];
  const changed = await deploy(...topic);
  expect(changed.code, changed.text).toBe(0);
  expect(changed.text).toContain('AlarmActions');
  const { code, text } = await deploy(...topic);
  expect(code, text).toBe(0);
  expect(text).toContain('There were no differences');
  expect(text).toContain('(no changes)');
  expect(text).toContain('published (0 new files)');
});

test('people sign in', async () => {
  const { api } = await standing(stack);
  expect(await ask({ api, token: issuer.token() }, '/v1/jobs')).toMatchObject({ items: [] });
  expect(await ask({ api, token: issuer.token() }, '/v1/tokens')).toMatchObject({ status: 403 });
  const late = issuer.token({ exp: 1 });
  expect(await ask({ api, token: late }, '/v1/jobs')).toMatchObject({ status: 401 });
});

test('the graph answers', async () => {
  const query = '{ stats { edges { total } } }';
  expect(await ask(await standing(stack), '/graphql', { query })).toEqual({
    data: { stats: { edges: { total: 0 } } },
  });
});

type Served = { readonly status: number; readonly policy: string; readonly body: string };

/** As a browser asks CloudFront; `fetch` would not send this name. */
function page(host: string, path: string): Promise<Served> {
  const { hostname, port } = new URL(emulator.url);
  const headers = { host, 'x-forwarded-proto': 'https' };
  return new Promise((resolve, reject) => {
    get({ hostname, port, path, headers }, (response) => {
      let body = '';
      response.on('data', (part) => {
        body += String(part);
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          policy: String(response.headers['content-security-policy']),
          body,
        }),
      );
    }).once('error', reject);
  });
}

test('CloudFront runs the function of the dashboard and sends its headers', async () => {
  const { outputs } = await standing(stack);
  const { host } = new URL(outputs.get('DashboardUrl')!);
  const config = await page(host, '/config.json');
  expect(config).toMatchObject({ status: 200, body: '{"api":"/"}' });
  const job = await page(host, '/jobs/0mwlyluhx0000007pr');
  expect(job.policy).toContain("default-src 'none'");
  // The page itself: the emulator takes CloudFront's own request for one without TLS, which the
  // bucket refuses.
  expect([job.status, job.body]).toEqual([403, expect.stringContaining('/index.html')]);
});
