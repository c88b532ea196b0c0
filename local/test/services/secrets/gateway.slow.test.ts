/** Versions of a secret with the official SDK. */
import {
  GetSecretValueCommand,
  ListSecretsCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientSettings } from '../../notes-clients.ts';
import { type NotesCloud, startNotes } from '../../notes-cloud.ts';

let cloud: NotesCloud;
let secrets: SecretsManagerClient;
let SecretId: string;

beforeAll(async () => {
  cloud = await startNotes();
  secrets = new SecretsManagerClient(clientSettings(cloud));
  const { SecretList } = await secrets.send(new ListSecretsCommand({}));
  SecretId = SecretList?.[0]?.ARN ?? '';
});

afterAll(async () => {
  secrets.destroy();
  await cloud.stop();
});

test('the current and the previous value are kept apart', async () => {
  const before = await secrets.send(new GetSecretValueCommand({ SecretId }));
  const VersionStage = 'AWSPREVIOUS';
  const previous = new GetSecretValueCommand({ SecretId, VersionStage });
  await expect(secrets.send(previous)).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
    message: expect.stringContaining('staging label: AWSPREVIOUS'),
  });
  const put = await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: 'new' }));
  expect(await secrets.send(new GetSecretValueCommand({ SecretId }))).toMatchObject({
    SecretString: 'new',
    VersionId: put.VersionId,
  });
  expect(await secrets.send(previous)).toMatchObject({
    SecretString: before.SecretString,
    VersionId: before.VersionId,
    VersionStages: [VersionStage],
  });
});

test('a version that is not there is not found', async () => {
  const VersionId = '11111111-1111-4111-8111-111111111111';
  await expect(
    secrets.send(new GetSecretValueCommand({ SecretId, VersionId })),
  ).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});
