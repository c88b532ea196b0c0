/** Policies and keys that are made by a call, and what a device may do with them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AttachPolicyCommand,
  AttachThingPrincipalCommand,
  CreateKeysAndCertificateCommand,
  CreatePolicyCommand,
  CreateThingCommand,
  DeletePolicyCommand,
  GetPolicyCommand,
  GetTopicRuleCommand,
  ListPoliciesCommand,
} from '@aws-sdk/client-iot';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPolicy, startFixture } from '../fixture.ts';

let stateDir: string;

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'iot-policies-'));
});

afterEach(() => rmSync(stateDir, { recursive: true }));

test('a device connects with a policy and keys that were made for it, also later', async () => {
  const first = await startFixture({ stateDir });
  const { control } = first;
  const policyDocument = JSON.stringify(openPolicy);
  await control.send(new CreatePolicyCommand({ policyName: 'made', policyDocument }));
  const again = new CreatePolicyCommand({ policyName: 'made', policyDocument });
  const exists = { name: 'ResourceAlreadyExistsException' };
  await expect(control.send(again)).rejects.toMatchObject(exists);
  const made = await control.send(new CreateKeysAndCertificateCommand({ setAsActive: true }));
  const target = made.certificateArn ?? '';
  await control.send(new AttachPolicyCommand({ policyName: 'made', target }));
  await control.send(new CreateThingCommand({ thingName: 'device' }));
  const attach = { thingName: 'device', principal: target };
  await control.send(new AttachThingPrincipalCommand(attach));
  const device = {
    thing: 'device',
    certificateId: made.certificateId ?? '',
    certificateArn: target,
    cert: made.certificatePem ?? '',
    key: made.keyPair?.PrivateKey ?? '',
  };
  await first.connect(device);
  await first.close();
  const second = await startFixture({ stateDir });
  await second.connect(device);
  const kept = await second.control.send(new GetPolicyCommand({ policyName: 'made' }));
  expect(kept.policyDocument).toBe(policyDocument);
  const remove = second.control.send(new DeletePolicyCommand({ policyName: 'made' }));
  await expect(remove).rejects.toMatchObject({ name: 'DeleteConflictException' });
  await second.close();
});

test('policies of the template stay, others go; one that cannot be read is not made', async () => {
  const iot = await startFixture({ stateDir, policies: [{ name: 'own', document: openPolicy }] });
  const remove = (policyName: string) => iot.control.send(new DeletePolicyCommand({ policyName }));
  await expect(remove('own')).rejects.toMatchObject({ name: 'DeleteConflictException' });
  await expect(remove('none')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  const create = (policyName: string, policyDocument: string) =>
    iot.control.send(new CreatePolicyCommand({ policyName, policyDocument }));
  await expect(create('bad', '{')).rejects.toMatchObject({ name: 'MalformedPolicyException' });
  await create('more', JSON.stringify(openPolicy));
  await remove('more');
  const { policies } = await iot.control.send(new ListPoliciesCommand({}));
  expect(policies?.map(({ policyName }) => policyName)).toEqual(['own']);
  await iot.close();
});

test('a rule is described in the words of the API', async () => {
  const rule = {
    name: 'seen',
    sql: "SELECT * FROM 'facts/#'",
    sqlVersion: '2016-03-23',
    disabled: false,
    actions: [{ Lambda: { FunctionArn: 'arn:aws:lambda:eu-central-1:000000000000:function:f' } }],
  };
  const iot = await startFixture({ stateDir, topicRules: [rule] });
  const got = await iot.control.send(new GetTopicRuleCommand({ ruleName: 'seen' }));
  expect(got.rule?.actions).toEqual([
    { lambda: { functionArn: 'arn:aws:lambda:eu-central-1:000000000000:function:f' } },
  ]);
  const other = iot.control.send(new GetTopicRuleCommand({ ruleName: 'other' }));
  await expect(other).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  await iot.close();
});
