/** AWS::IAM::Role: who may take it, and what it may do. */
import { globalArnOf, physicalName, stableToken } from '../../account.ts';
import { readerOf } from '../../assembly/property.ts';
import { roleNameMax } from '../../limits.ts';
import type { ResourceType } from '../../world.ts';

export const iamRole: ResourceType = {
  used: [
    'RoleName',
    'Path',
    'AssumeRolePolicyDocument',
    'Policies',
    'ManagedPolicyArns',
    'MaxSessionDuration',
  ],
  ignored: {
    Description: 'a text for people',
    Tags: 'tags do nothing',
  },
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    const name =
      reader.optionalText('RoleName') ?? physicalName(world.account, logicalId, roleNameMax);
    const arn = globalArnOf('iam', `role${reader.optionalText('Path') ?? '/'}${name}`);
    const trust = reader.raw.AssumeRolePolicyDocument ?? null;
    const sessionSeconds = reader.optionalWhole('MaxSessionDuration', 3_600, 43_200) ?? 3_600;
    world.roles.addRole(arn, trust, `${path}.AssumeRolePolicyDocument`, sessionSeconds);
    for (const policy of reader.objects('Policies')) {
      const document = policy.raw.PolicyDocument ?? null;
      world.roles.addPolicy(name, document, `${policy.path}.PolicyDocument`);
    }
    for (const policyArn of reader.texts('ManagedPolicyArns')) {
      world.roles.addManagedPolicy(name, policyArn, `${path}.ManagedPolicyArns`);
    }
    return { ref: name, attributes: { Arn: arn, RoleId: `AROA${stableToken(arn, 17)}` } };
  },
};
