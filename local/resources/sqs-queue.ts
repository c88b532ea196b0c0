/** AWS::SQS::Queue: a queue with its visibility timeout, delay, retention and redrive. */
import { arnOf, physicalName } from '../account.ts';
import { queueNameMax } from '../limits.ts';
import { queueUrl } from '../queues/fauxqs.ts';
import { readerOf } from '../template/property.ts';
import type { ResourceType } from '../world.ts';

/** Properties whose name and value SQS takes as attributes. */
const attributeNames = [
  'VisibilityTimeout',
  'DelaySeconds',
  'MessageRetentionPeriod',
  'MaximumMessageSize',
  'ReceiveMessageWaitTimeSeconds',
  'FifoQueue',
  'ContentBasedDeduplication',
  'DeduplicationScope',
  'FifoThroughputLimit',
  'SqsManagedSseEnabled',
  'RedrivePolicy',
];

export const sqsQueue: ResourceType = {
  used: ['QueueName', ...attributeNames],
  ignored: {
    Tags: 'tags do nothing',
    KmsMasterKeyId: 'the state directory is not encrypted',
    KmsDataKeyReusePeriodSeconds: 'the state directory is not encrypted',
    RedriveAllowPolicy: 'it only restricts which other queues may use this one',
  },
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    const name =
      reader.optionalText('QueueName') ?? physicalName(world.account, logicalId, queueNameMax);
    const arn = arnOf(world.account, 'sqs', name);
    const attributes: Record<string, string> = {};
    for (const key of attributeNames) {
      const value = reader.raw[key];
      if (value === undefined) continue;
      attributes[key] = typeof value === 'object' ? JSON.stringify(value) : String(value);
    }
    const url = queueUrl(world.gatewayUrl, name);
    const existing = world.queues.queues.getQueueByArn(arn);
    if (existing === undefined) world.queues.queues.createQueue(name, url, arn, attributes);
    else existing.setAttributes({ RedrivePolicy: '', ...attributes });
    return { ref: url, attributes: { Arn: arn, QueueName: name, QueueUrl: url } };
  },
};
