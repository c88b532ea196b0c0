/** AWS::SNS::Subscription: a queue that gets what a topic publishes. */

import { readerOf } from '../../assembly/property.ts';
import { StartFailure } from '../../failure.ts';
import type { ResourceType } from '../../world.ts';

export const snsSubscription: ResourceType = {
  used: ['TopicArn', 'Protocol', 'Endpoint', 'RawMessageDelivery', 'FilterPolicy'],
  ignored: {
    Region: 'there is one region',
    RedrivePolicy: 'the stand-in delivers at once or not at all',
  },
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    const topicArn = reader.text('TopicArn');
    const protocol = reader.text('Protocol');
    if (protocol !== 'sqs') {
      world.ignored.push({ path, reason: `the local cloud does not deliver by ${protocol}` });
      return { ref: `${topicArn}:${logicalId}`, attributes: {} };
    }
    const attributes: Record<string, string> = {};
    for (const key of ['RawMessageDelivery', 'FilterPolicy']) {
      const value = reader.raw[key];
      if (value === undefined) continue;
      attributes[key] = typeof value === 'object' ? JSON.stringify(value) : String(value);
    }
    const endpoint = reader.text('Endpoint');
    // One of an earlier start may have other attributes.
    for (const known of [...world.queues.topics.subscriptions.values()]) {
      if (known.topicArn === topicArn && known.endpoint === endpoint) {
        world.queues.topics.unsubscribe(known.arn);
      }
    }
    const made = world.queues.topics.subscribe(topicArn, 'sqs', endpoint, attributes);
    if (made === undefined) throw new StartFailure(`${path}.TopicArn: there is no such topic.`);
    return { ref: made.arn, attributes: { Arn: made.arn } };
  },
};
