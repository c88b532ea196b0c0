/** AWS::SQS::QueuePolicy: who may use a queue besides the roles that may. */
import { arnOf } from '../../account.ts';
import { readerOf } from '../../assembly/property.ts';
import type { ResourceType } from '../../world.ts';

export const sqsQueuePolicy: ResourceType = {
  used: ['PolicyDocument', 'Queues'],
  ignored: {},
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    for (const url of reader.texts('Queues')) {
      const arn = arnOf(world.account, 'sqs', url.slice(url.lastIndexOf('/') + 1));
      const document = reader.raw.PolicyDocument ?? null;
      world.roles.addResourcePolicy(arn, document, `${path}.PolicyDocument`);
    }
    return { ref: logicalId, attributes: { Id: logicalId } };
  },
};
