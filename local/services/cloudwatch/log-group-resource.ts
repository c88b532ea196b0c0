/** AWS::Logs::LogGroup: a name; the lines are files in the state directory. */
import { arnOf, physicalName } from '../../account.ts';
import { readerOf } from '../../assembly/property.ts';
import type { ResourceType } from '../../world.ts';

export const logsLogGroup: ResourceType = {
  used: ['LogGroupName'],
  ignored: {
    RetentionInDays: 'log files are bounded by their size',
    KmsKeyId: 'the state directory is not encrypted',
    LogGroupClass: 'log files have one class',
    Tags: 'tags do nothing',
    DataProtectionPolicy: 'log files are read on this machine only',
  },
  create: ({ logicalId, path, properties, world }) => {
    const name =
      readerOf(properties, path).optionalText('LogGroupName') ??
      physicalName(world.account, logicalId, 512);
    return {
      ref: name,
      attributes: { Arn: `${arnOf(world.account, 'logs', `log-group:${name}`)}:*` },
    };
  },
};
