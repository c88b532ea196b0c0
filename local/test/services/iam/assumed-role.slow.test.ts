/** Sessions of roles: who may have one, and what it may do. */
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientSettings } from '../../notes-clients.ts';
import { type NotesCloud, startNotes } from '../../notes-cloud.ts';

let cloud: NotesCloud;
const arnOf = (name: string) => `arn:aws:iam::000000000000:role/${name}`;

beforeAll(async () => {
  cloud = await startNotes({
    edit: (resources) => {
      const visitor = {
        Type: 'AWS::IAM::Role',
        Properties: {
          RoleName: 'visitor',
          AssumeRolePolicyDocument: {
            Version: '2012-10-17',
            Statement: [
              {
                Effect: 'Allow',
                Principal: { AWS: 'arn:aws:iam::000000000000:root' },
                Action: 'sts:AssumeRole',
              },
            ],
          },
        },
      };
      Object.assign(resources, { Visitor: visitor });
      resources['NightlyRole']!.Properties['RoleName'] = 'nightly';
    },
  });
});

afterAll(() => cloud.stop());

function assume(RoleArn: string, more: { DurationSeconds?: number } = {}) {
  const RoleSessionName = 'me@example';
  const tokens = new STSClient(clientSettings(cloud));
  return tokens.send(new AssumeRoleCommand({ RoleArn, RoleSessionName, ...more }));
}

test('a session may do what the role may, and nothing else', async () => {
  const { Credentials, AssumedRoleUser } = await assume(arnOf('visitor'));
  const arn = 'arn:aws:sts::000000000000:assumed-role/visitor/me@example';
  expect(AssumedRoleUser?.Arn).toBe(arn);
  expect(Credentials?.Expiration?.getTime()).toBeGreaterThan(Date.now() + 3_500_000);
  const credentials = {
    accessKeyId: Credentials?.AccessKeyId ?? '',
    secretAccessKey: Credentials?.SecretAccessKey ?? '',
    sessionToken: Credentials?.SessionToken ?? '',
  };
  const tables = new DynamoDBClient({ ...clientSettings(cloud), credentials });
  await expect(tables.send(new ListTablesCommand({}))).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message: expect.stringContaining(`User: ${arn} is not authorized`),
  });
});

test('a role that trusts a service only is for that service', async () => {
  await expect(assume(arnOf('nightly'))).rejects.toMatchObject({
    name: 'AccessDenied',
    message: expect.stringContaining('is not authorized to perform: sts:AssumeRole'),
  });
});

test('a role that is not there is refused the same way', async () => {
  await expect(assume(arnOf('nobody'))).rejects.toMatchObject({ name: 'AccessDenied' });
});

test.each([60, 7_200])('a session of %i seconds is too short or too long', async (seconds) => {
  const wish = assume(arnOf('visitor'), { DurationSeconds: seconds });
  await expect(wish).rejects.toMatchObject({ name: 'ValidationError' });
});
