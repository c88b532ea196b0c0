/** AWS::SNS::Topic: a topic of the queue stand-in. */
import { arnOf, physicalName } from '../../account.ts';
import { readerOf } from '../../assembly/property.ts';
import type { ResourceType } from '../../world.ts';

export const snsTopic: ResourceType = {
  used: ['TopicName'],
  ignored: {
    DisplayName: 'a text for people',
    KmsMasterKeyId: 'the state directory is not encrypted',
    Tags: 'tags do nothing',
  },
  create: ({ logicalId, path, properties, world }) => {
    const name =
      readerOf(properties, path).optionalText('TopicName') ??
      physicalName(world.account, logicalId, 256);
    const arn = arnOf(world.account, 'sns', name);
    world.queues.topics.createTopic(name, undefined, undefined, world.account.region);
    return { ref: arn, attributes: { TopicArn: arn, TopicName: name } };
  },
};
