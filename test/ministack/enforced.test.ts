import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpointOf } from '../../adapters/aws/endpoint.ts';
import { createSignedClient } from '../../adapters/aws/signed-client.ts';
import { runCdk } from '../../scripts/deploy/cdk.ts';
import { ensureSynthesis, synthesisOf } from '../../scripts/setup/synthesis.mjs';
import { type Client, startClient } from '../flow/cli/client.ts';
import { until } from '../flow/start/stage.ts';
import { ask, clientEnvironment, emulator, type Standing, standing } from './emulated.ts';

/**
 * An edge enrols, works and goes where every call is asked of the policies of the template. Where
 * the emulator is known to ask for something else than AWS does, the template is widened by exactly
 * that, with the reason; a refusal of anything else fails.
 */
type Statement = { Effect: string; Action: string | string[]; Resource?: unknown };
type Resource = { Type: string; Properties: { PolicyDocument?: { Statement: Statement[] } } };

const onTheThing = 'named shadows are asked for as thing/NAME; AWS asks for thing/NAME/SHADOW';
const onAll = 'it is asked for on everything; AWS asks for the certificate';

/** Actions that are granted on everything here, with the reason. */
const widened: ReadonlyMap<string, string> = new Map([
  ['iot:AttachPolicy', onAll],
  ['iot:DetachPolicy', onAll],
  ['iot:UpdateThingShadow', onTheThing],
  ['iot:GetThingShadow', onTheThing],
  ['iot:DeleteThingShadow', onTheThing],
]);

/** A rule of IoT Core that sends to a queue counts as one that came without TLS. */
const refusesPlain = /aws:SecureTransport/;

function widen(resources: Readonly<Record<string, Resource>>): void {
  for (const { Type, Properties } of Object.values(resources)) {
    const document = Properties.PolicyDocument;
    if (document === undefined) continue;
    if (Type === 'AWS::SQS::QueuePolicy') {
      document.Statement = document.Statement.filter(
        (one) => one.Effect !== 'Deny' || !refusesPlain.test(JSON.stringify(one)),
      );
    }
    if (Type !== 'AWS::IAM::Policy') continue;
    const actions = document.Statement.flatMap(({ Action }) => Action);
    for (const Action of actions.filter((action) => widened.has(action))) {
      document.Statement.push({ Effect: 'Allow', Action, Resource: '*' });
    }
  }
}

const place = mkdtempSync(join(tmpdir(), 'edgewise-enforced-'));
let stage: Standing;
let agent: Client;

beforeAll(async () => {
  await ensureSynthesis('trial');
  const app = join(place, 'app');
  cpSync(synthesisOf('trial'), app, { recursive: true });
  const path = join(app, 'Edgewise.template.json');
  const template = JSON.parse(readFileSync(path, 'utf8'));
  widen(template.Resources);
  // A queue without a statement has no policy; CloudFormation would refuse an empty one.
  for (const [id, { Type, Properties }] of Object.entries<Resource>(template.Resources)) {
    if (Type !== 'AWS::SQS::QueuePolicy' || Properties.PolicyDocument?.Statement.length) continue;
    delete template.Resources[id];
  }
  writeFileSync(path, JSON.stringify(template));
  await runCdk(['bootstrap', '-o', join(place, 'bootstrap')]);
  await runCdk([
    ...['deploy', '--app', app, '--require-approval', 'never'],
    ...['--parameters', `EdgeMqttEndpoint=${emulator.mqtt}`],
    ...['--parameters', `EdgeTrustAnchor=${emulator.authority}`],
  ]);
  stage = await standing('Edgewise-trial');
});
afterAll(() => {
  agent?.process.kill('SIGKILL');
  rmSync(place, { recursive: true, force: true, maxRetries: 20 });
});

test('an edge enrols, does a job and goes, and nothing else is refused', async () => {
  const words = ['agent', '--name', 'edge-1', '--data', join(place, 'agent')];
  const access = ['--api', stage.api, '--enrol-token', stage.token];
  agent = startClient(place, [...words, ...access], clientEnvironment);
  await until('the edge is connected', () => agent.text().includes('connected'));
  const { id } = await ask<{ id: string }>(stage, '/v1/jobs', { power: 403 });
  await until('the job is done', async () => {
    const { status } = await ask<{ status: { state: string } }>(stage, `/v1/jobs/${id}`);
    return status.state === 'done';
  });
  const headers = { authorization: `Bearer ${stage.token}` };
  await fetch(`${stage.api}/v1/edges/edge-1?force=true`, { method: 'DELETE', headers });
  await until('the edge is gone', async () => {
    const { items } = await ask<{ items: object[] }>(stage, '/v1/edges');
    return items.length === 0;
  });
  const { lines, refusals } = await readLogs();
  expect(lines).toBeGreaterThan(10);
  expect(refusals).toEqual([]);
});

/** What functions said, and what they were refused: the sentences of AWS are in their logs. */
async function readLogs(): Promise<{ lines: number; refusals: string[] }> {
  const logs = createSignedClient(endpointOf({ service: 'logs' }, {}));
  const call = async (operation: string, input: object) => {
    const type = 'application/x-amz-json-1.1';
    const target = `Logs_20140328.${operation}`;
    const headers = { 'content-type': type, 'x-amz-target': target };
    const body = JSON.stringify(input);
    return JSON.parse((await logs.send({ method: 'POST', path: '/', headers, body })).body);
  };
  const { logGroups } = await call('DescribeLogGroups', {});
  const found: string[] = [];
  let lines = 0;
  for (const { logGroupName } of logGroups as { logGroupName: string }[]) {
    const { events } = await call('FilterLogEvents', { logGroupName });
    for (const { message } of events as { message: string }[]) {
      lines++;
      found.push(...(message.match(/not authorized to perform: \S+ on resource: \S+/g) ?? []));
    }
  }
  logs.close();
  return { lines, refusals: [...new Set(found)] };
}
