/** A table is described as the template declares it. */
import {
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientSettings } from '../../notes-clients.ts';
import { type NotesCloud, startNotes } from '../../notes-cloud.ts';

let cloud: NotesCloud;
let tables: DynamoDBClient;

beforeAll(async () => {
  cloud = await startNotes({
    edit: (resources) => {
      const properties = resources['Table']!.Properties;
      const [replica] = properties['Replicas'] as Record<string, unknown>[];
      replica!['DeletionProtectionEnabled'] = true;
      replica!['PointInTimeRecoverySpecification'] = { PointInTimeRecoveryEnabled: true };
      properties['WriteOnDemandThroughputSettings'] = { MaxWriteRequestUnits: 40 };
    },
  });
  tables = new DynamoDBClient(clientSettings(cloud));
});

afterAll(async () => {
  tables.destroy();
  await cloud.stop();
});

test('protection, recovery and bounds are those of the template', async () => {
  const TableName = cloud.output('TableName');
  const { Table } = await tables.send(new DescribeTableCommand({ TableName }));
  expect(Table).toMatchObject({
    DeletionProtectionEnabled: true,
    BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
    OnDemandThroughput: { MaxWriteRequestUnits: 40 },
  });
  const backups = await tables.send(new DescribeContinuousBackupsCommand({ TableName }));
  const recovery = backups.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
  expect(recovery?.PointInTimeRecoveryStatus).toBe('ENABLED');
});

test.each(['its name', 'its ARN'])('a protected table is not deleted, by %s', async (by) => {
  const name = cloud.output('TableName');
  const arn = `arn:aws:dynamodb:eu-west-1:000000000000:table/${name}`;
  const remove = new DeleteTableCommand({ TableName: by === 'its name' ? name : arn });
  await expect(tables.send(remove)).rejects.toMatchObject({
    name: 'ValidationException',
    message: expect.stringContaining('protected against deletion'),
  });
});
