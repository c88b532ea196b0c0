/** AWS::IAM::Policy: statements added to one or more roles. */
import { readerOf } from '../../assembly/property.ts';
import type { ResourceType } from '../../world.ts';

export const iamPolicy: ResourceType = {
  used: ['PolicyName', 'PolicyDocument', 'Roles'],
  ignored: {},
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    const document = reader.raw.PolicyDocument ?? null;
    for (const role of reader.texts('Roles')) {
      world.roles.addPolicy(role, document, `${path}.PolicyDocument`);
    }
    return { ref: reader.text('PolicyName'), attributes: { Id: logicalId } };
  },
};
