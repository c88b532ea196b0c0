/** AWS::IAM::ManagedPolicy: a policy of its own, attached to one or more roles. */
import { globalArnOf, physicalName } from '../../account.ts';
import { readerOf } from '../../assembly/property.ts';
import type { ResourceType } from '../../world.ts';

export const iamManagedPolicy: ResourceType = {
  used: ['ManagedPolicyName', 'Path', 'PolicyDocument', 'Roles'],
  ignored: { Description: 'a text for people' },
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    const name =
      reader.optionalText('ManagedPolicyName') ?? physicalName(world.account, logicalId, 128);
    const arn = globalArnOf('iam', `policy${reader.optionalText('Path') ?? '/'}${name}`);
    const document = reader.raw.PolicyDocument ?? null;
    for (const role of reader.texts('Roles')) {
      world.roles.addPolicy(role, document, `${path}.PolicyDocument`);
    }
    return { ref: arn, attributes: { PolicyArn: arn } };
  },
};
