/** AWS::DynamoDB::GlobalTable: a table with its indexes and stream, in this one region. */
import { physicalName, stableUuid } from '../../account.ts';
import { readerOf } from '../../assembly/property.ts';
import { StartFailure } from '../../failure.ts';
import { tableNameMax } from '../../limits.ts';
import type { ResourceType } from '../../world.ts';
import { describedOnly, tableDescription } from './description.ts';
import { ensureTable } from './table.ts';

const capacity = 'capacity is not simulated: the engine takes what the machine can';

export const dynamodbGlobalTable: ResourceType = {
  used: [
    'TableName',
    'AttributeDefinitions',
    'KeySchema',
    'BillingMode',
    'GlobalSecondaryIndexes',
    'LocalSecondaryIndexes',
    'StreamSpecification',
    'TimeToLiveSpecification',
    'Replicas',
    ...describedOnly,
  ],
  ignored: {
    WriteProvisionedThroughputSettings: capacity,
    GlobalTableSettingsReplicationMode: 'there is one account only',
  },
  create: async ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    const name =
      reader.optionalText('TableName') ?? physicalName(world.account, logicalId, tableNameMax);
    if (reader.objects('Replicas').length > 1) {
      throw new StartFailure(`${path}.Replicas: the local cloud has one region only.`);
    }
    world.ignored.push({
      path: `${path}.Replicas[0]`,
      reason: 'backups, tags, insights and deletion protection have no meaning on one machine',
    });
    for (const key of describedOnly.filter((each) => reader.has(each))) {
      world.ignored.push({
        path: `${path}.${key}`,
        reason: 'DescribeTable shows it; it does nothing',
      });
    }
    const ttl = reader.optionalObject('TimeToLiveSpecification');
    const table = await ensureTable(world.database, world.account, {
      name,
      attributes: reader.objects('AttributeDefinitions').map((item) => item.raw),
      keys: reader.objects('KeySchema').map((item) => item.raw),
      globalIndexes: reader.objects('GlobalSecondaryIndexes').map((item) => item.raw),
      localIndexes: reader.objects('LocalSecondaryIndexes').map((item) => item.raw),
      streamViewType: reader.optionalObject('StreamSpecification')?.text('StreamViewType'),
    });
    if (ttl?.optionalFlag('Enabled') === true) {
      await world.timeToLive(name, ttl.text('AttributeName'));
    }
    const tableId = stableUuid(table.arn);
    world.tables.set(name, { ...table, description: tableDescription(reader, tableId) });
    return {
      ref: name,
      attributes: {
        Arn: table.arn,
        TableId: tableId,
        ...(table.streamArn === undefined ? {} : { StreamArn: table.streamArn }),
      },
    };
  },
};
