/** AWS::SNS::TopicPolicy: who may publish besides the roles that may. */
import { readerOf } from '../../assembly/property.ts';
import type { ResourceType } from '../../world.ts';

export const snsTopicPolicy: ResourceType = {
  used: ['PolicyDocument', 'Topics'],
  ignored: {},
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    for (const arn of reader.texts('Topics')) {
      const document = reader.raw.PolicyDocument ?? null;
      world.roles.addResourcePolicy(arn, document, `${path}.PolicyDocument`);
    }
    return { ref: logicalId, attributes: { Id: logicalId } };
  },
};
