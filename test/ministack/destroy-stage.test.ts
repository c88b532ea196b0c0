import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import {
  IoTClient,
  ListCertificatesCommand,
  ListPoliciesCommand,
  ListThingsCommand,
  ListTopicRulesCommand,
} from '@aws-sdk/client-iot';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { ListSecretsCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { readStack } from '../../scripts/deploy/account.ts';
import { runScript } from './emulated.ts';

/** Of a stage that is thrown away nothing is left, also of what its edges brought. */
test('a trial goes with all that it had', async () => {
  expect((await left()).length).toBeGreaterThan(5);
  const { code, text } = await runScript('destroy', ['--stage', 'trial', '--yes']);
  expect(code, text).toBe(0);
  expect(text).toMatch(/\d+ edges have no certificate any more/);
  expect(await readStack('Edgewise-trial')).toBeNull();
  expect(await left()).toEqual([]);
});

test('what is gone is gone', async () => {
  const { code, text } = await runScript('destroy', ['--stage', 'trial', '--yes']);
  expect(code, text).toBe(0);
  expect(text).toContain('There is no Edgewise-trial');
});

/** Whatever is called after the stage, of every kind that holds something. */
async function left(): Promise<string[]> {
  const [dynamodb, iot, s3, sqs] = [
    new DynamoDBClient({}),
    new IoTClient({}),
    new S3Client({ forcePathStyle: true }),
    new SQSClient({}),
  ];
  const secrets = new SecretsManagerClient({});
  const found = [
    ...((await dynamodb.send(new ListTablesCommand({}))).TableNames ?? []),
    ...((await iot.send(new ListThingsCommand({}))).things ?? []).map((it) => it.thingName),
    ...((await iot.send(new ListPoliciesCommand({}))).policies ?? []).map((it) => it.policyName),
    ...((await iot.send(new ListTopicRulesCommand({}))).rules ?? []).map((it) => it.ruleName),
    ...((await s3.send(new ListBucketsCommand({}))).Buckets ?? []).map((it) => it.Name),
    ...((await sqs.send(new ListQueuesCommand({}))).QueueUrls ?? []),
    ...((await secrets.send(new ListSecretsCommand({}))).SecretList ?? []).map((it) => it.Name),
  ];
  const { certificates = [] } = await iot.send(new ListCertificatesCommand({}));
  for (const client of [dynamodb, iot, s3, sqs, secrets]) client.destroy();
  const named = found.filter((name) => /edgewise.?trial|^trial_/i.test(name ?? ''));
  return [...named, ...certificates.map((it) => it.certificateId)].map(String);
}
