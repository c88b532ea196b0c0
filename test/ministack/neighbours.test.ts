import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { makePrivateKey, makeSigningRequest } from '../../edge-agent/link/signing-request.ts';
import { readStack } from '../../scripts/deploy/account.ts';
import { startClient } from '../flow/cli/client.ts';
import { until } from '../flow/start/stage.ts';
import {
  ask,
  clientEnvironment,
  deployFlags,
  runScript,
  type Standing,
  standing,
} from './emulated.ts';

/** Stages beside the one that stands, in the same region and in another. */
type Enrolled = { readonly thing: string; readonly certificate: string | null };
type Refused = { readonly status: number };
type Listed = { readonly items: readonly { readonly name: string }[] };

function enrol(stage: Standing, name: string): Promise<Enrolled> {
  const csr = makeSigningRequest(makePrivateKey(), name);
  return ask<Enrolled>(stage, '/v1/edges', { name, capacity: { power: 1 }, csr });
}

const namesOf = async (stage: Standing): Promise<string[]> =>
  (await ask<Listed>(stage, '/v1/edges')).items.map(({ name }) => name);

test('a second stage in the region has edges of its own, also of the same name', async () => {
  const { code, text } = await runScript('deploy', ['--stage', 'trial-2', ...deployFlags]);
  expect(code, text).toBe(0);
  const [first, second] = [await standing('Edgewise-trial'), await standing('Edgewise-trial-2')];
  expect(first.api).not.toBe(second.api);
  expect((await enrol(first, 'twin')).thing).toBe('trial_twin');
  expect((await enrol(second, 'twin')).thing).toBe('trial-2_twin');
  await enrol(second, 'only-here');
  expect(await namesOf(first)).toEqual(['twin']);
  expect((await namesOf(second)).toSorted()).toEqual(['only-here', 'twin']);
});

const otherRegion = 'us-east-1';
const elsewhere = { AWS_REGION: otherRegion, AWS_DEFAULT_REGION: otherRegion };
const kept = ['--stage', 'prod'];

test('a stage of another name in another region stands beside it, and both work', async () => {
  const unsaid = await runScript('deploy', [...kept, ...deployFlags], { env: elsewhere });
  expect(unsaid.code, unsaid.text).toBe(1);
  expect(unsaid.text).toContain(`--in 000000000000/${otherRegion} is the answer`);
  const words = [...kept, '--in', `000000000000/${otherRegion}`, ...deployFlags];
  const { code, text } = await runScript('deploy', words, { env: elsewhere });
  expect(code, text).toBe(0);
  expect(text).toContain(`Edgewise-prod in 000000000000/${otherRegion}`);
  expect(await readStack('Edgewise-prod')).toBeNull();
  const [first, other] = [
    await standing('Edgewise-trial'),
    await standing('Edgewise-prod', otherRegion),
  ];
  expect(other.api).not.toBe(first.api);
  for (const stage of [first, other]) {
    expect(await ask(stage, '/v1/health')).toMatchObject({ ok: true });
  }
  expect((await ask<Refused>({ ...other, token: first.token }, '/v1/edges')).status).toBe(401);
  await doesAJob(other, 'far-away');
  expect(await namesOf(other)).toEqual(['far-away']);
  expect(await namesOf(first)).toEqual(['twin']);
});

/** An edge of its own, from its enrolment to the end of what it was given. */
async function doesAJob(stage: Standing, name: string): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), 'edgewise-neighbour-'));
  const words = ['agent', '--name', name, '--data', join(place, 'agent')];
  const access = ['--api', stage.api, '--enrol-token', stage.token];
  const agent = startClient(place, [...words, ...access], clientEnvironment);
  try {
    await until(`${name} is connected`, () => agent.text().includes('connected'));
    const { id } = await ask<{ id: string }>(stage, '/v1/jobs', { power: 403 });
    await until('the job is done', async () => {
      const { status } = await ask<{ status: { state: string } }>(stage, `/v1/jobs/${id}`);
      return status.state === 'done';
    });
  } finally {
    agent.process.kill('SIGKILL');
    await agent.ended;
    rmSync(place, { recursive: true, force: true, maxRetries: 20 });
  }
}

test('a stage that is kept goes for its name only, and its table stays', async () => {
  const refused = await runScript('destroy', [...kept, '--yes'], { env: elsewhere });
  expect(refused.code, refused.text).toBe(1);
  expect(refused.text).toContain('--confirm Edgewise-prod is the answer');
  const confirmed = [...kept, '--confirm', 'Edgewise-prod'];
  const mistaken = await runScript('destroy', [...confirmed, '--in', '111111111111'], {
    env: elsewhere,
  });
  expect(mistaken.code, mistaken.text).toBe(1);
  expect(mistaken.text).toContain('Edgewise-prod belongs in 111111111111');
  const gone = await runScript('destroy', confirmed, { env: elsewhere });
  expect(gone.code, gone.text).toBe(0);
  const TableName = /the table (\S+),/.exec(gone.text)?.[1];
  const dynamodb = new DynamoDBClient({ region: otherRegion });
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
  dynamodb.destroy();
  expect(Table?.TableStatus).toBe('ACTIVE');
});

test('the end of one stage leaves the other as it was', async () => {
  const { code, text } = await runScript('destroy', ['--stage', 'trial-2', '--yes']);
  expect(code, text).toBe(0);
  expect(await readStack('Edgewise-trial-2')).toBeNull();
  const first = await standing('Edgewise-trial');
  expect(await namesOf(first)).toEqual(['twin']);
  expect((await enrol(first, 'later')).certificate).toContain('BEGIN CERTIFICATE');
});
