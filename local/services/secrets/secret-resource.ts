/** AWS::SecretsManager::Secret: generated once, then kept in the state directory. */
import { physicalName } from '../../account.ts';
import { readerOf } from '../../assembly/property.ts';
import type { ResourceType } from '../../world.ts';

export const secretsmanagerSecret: ResourceType = {
  used: ['Name', 'GenerateSecretString', 'SecretString'],
  ignored: {
    Description: 'a text for people',
    KmsKeyId: 'the state directory is readable by its owner only',
    Tags: 'tags do nothing',
    ReplicaRegions: 'there is one region only',
  },
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    const name = reader.optionalText('Name') ?? physicalName(world.account, logicalId, 200);
    const arn = world.secrets.ensure(name, {
      value: reader.optionalText('SecretString'),
      generate: reader.optionalObject('GenerateSecretString'),
    });
    return { ref: arn, attributes: { Id: arn } };
  },
};
