/** AWS::SQS::Queue: a queue with its visibility timeout, delay, retention and redrive. */
import { arnOf, physicalName } from '../../account.ts';
import { type Reader, readerOf } from '../../assembly/property.ts';
import { StartFailure } from '../../failure.ts';
import { queueNameMax } from '../../limits.ts';
import type { ResourceType, World } from '../../world.ts';
import { queueUrl } from '../queues-and-buckets.ts';

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

const bounds: Readonly<Record<string, readonly [number, number]>> = {
  VisibilityTimeout: [0, 43_200],
  DelaySeconds: [0, 900],
  MessageRetentionPeriod: [60, 1_209_600],
  MaximumMessageSize: [1_024, 1_048_576],
  ReceiveMessageWaitTimeSeconds: [0, 20],
};

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html */
function checkBounds(reader: Reader, name: string): void {
  for (const [key, [low, high]] of Object.entries(bounds)) reader.optionalWhole(key, low, high);
  const isFifo = reader.optionalFlag('FifoQueue') ?? false;
  if (isFifo !== name.endsWith('.fifo')) {
    throw new StartFailure(`${reader.path}: a queue is FIFO exactly when its name ends in .fifo.`);
  }
  for (const key of ['ContentBasedDeduplication', 'DeduplicationScope', 'FifoThroughputLimit']) {
    if (!isFifo && reader.has(key)) {
      throw new StartFailure(`${reader.path}.${key} is for FIFO queues only.`);
    }
  }
}

/** "The dead-letter queue of a FIFO queue must also be a FIFO queue", and of a standard one not. */
function checkRedrive(reader: Reader, world: World): void {
  const policy = reader.optionalObject('RedrivePolicy');
  if (policy === undefined) return;
  policy.only(['deadLetterTargetArn', 'maxReceiveCount']);
  if (policy.optionalWhole('maxReceiveCount', 1, 1_000) === undefined) {
    throw new StartFailure(`${policy.path}.maxReceiveCount is missing.`);
  }
  const target = world.queues.queues.getQueueByArn(policy.text('deadLetterTargetArn'));
  if (target === undefined) {
    throw new StartFailure(`${policy.path}.deadLetterTargetArn: there is no such queue.`);
  }
  if (target.isFifo() !== (reader.optionalFlag('FifoQueue') ?? false)) {
    throw new StartFailure(`${policy.path}: both queues are FIFO, or neither is.`);
  }
}

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
      reader.optionalText('QueueName') ??
      (reader.optionalFlag('FifoQueue') === true
        ? `${physicalName(world.account, logicalId, queueNameMax - 5)}.fifo`
        : physicalName(world.account, logicalId, queueNameMax));
    const arn = arnOf(world.account, 'sqs', name);
    checkBounds(reader, name);
    checkRedrive(reader, world);
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
