/** AWS::Logs::LogGroup: a name; the lines are files in the state directory. */
import { arnOf, physicalName } from '../../account.ts';
import { readerOf } from '../../assembly/property.ts';
import type { ResourceType } from '../../world.ts';

export const logsLogGroup: ResourceType = {
  used: ['LogGroupName', 'RetentionInDays'],
  ignored: {
    KmsKeyId: 'the state directory is not encrypted',
    LogGroupClass: 'log files have one class',
    Tags: 'tags do nothing',
    DataProtectionPolicy: 'log files are read on this machine only',
  },
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    const name = reader.optionalText('LogGroupName') ?? physicalName(world.account, logicalId, 512);
    const retentionDays = reader.optionalNumber('RetentionInDays');
    world.logGroups.set(name, { retentionDays });
    if (retentionDays !== undefined) {
      const reason = 'log files are bounded by their size';
      world.ignored.push({ path: `${path}.RetentionInDays`, reason });
    }
    return {
      ref: name,
      attributes: { Arn: `${arnOf(world.account, 'logs', `log-group:${name}`)}:*` },
    };
  },
};
