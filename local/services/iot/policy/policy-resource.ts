/** AWS::IoT::Policy: what a certificate may do on the broker. */
import { arnOf, physicalName } from '../../../account.ts';
import { readerOf } from '../../../assembly/property.ts';
import type { ResourceType } from '../../../world.ts';

export const iotPolicy: ResourceType = {
  used: ['PolicyName', 'PolicyDocument'],
  ignored: { Tags: 'tags do nothing' },
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    const name = reader.optionalText('PolicyName') ?? physicalName(world.account, logicalId, 128);
    world.iotPolicies.push({ name, document: reader.raw.PolicyDocument ?? null });
    return {
      ref: name,
      attributes: { Arn: arnOf(world.account, 'iot', `policy/${name}`), Id: name },
    };
  },
};
