/**
 * What SQS refuses and the stand-in takes, by operation
 * (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_Operations.html). It
 * remembers when queues were purged and deleted; everything else is in the request.
 */

import type { Json, JsonObject } from '../../assembly/assembly.ts';
import {
  messageAttributesMax,
  messageDelaySecondsMax,
  queueNameMax,
  queuePauseMs,
} from '../../limits.ts';

export type SqsRefusal = {
  readonly code: string;
  readonly message: string;
};

export type SqsChecks = {
  /** Undefined: the stand-in may decide. */
  refusal(operation: string, input: JsonObject): SqsRefusal | undefined;
  /** Called when a request was carried out. */
  done(operation: string, input: JsonObject): void;
};

type Check = (input: JsonObject) => SqsRefusal | undefined;

export function sqsChecks(nowMs: () => number): SqsChecks {
  const purgedAtMs = new Map<string, number>();
  const deletedAtMs = new Map<string, number>();
  const isRecent = (times: ReadonlyMap<string, number>, name: string): boolean =>
    nowMs() - (times.get(name) ?? Number.NEGATIVE_INFINITY) < queuePauseMs;
  const stateful: Readonly<Record<string, Check>> = {
    PurgeQueue: (input) => {
      const name = queueName(input);
      if (!isRecent(purgedAtMs, name)) return undefined;
      const message = `Only one PurgeQueue operation on ${name} is allowed every 60 seconds.`;
      return { code: 'PurgeQueueInProgress', message };
    },
    CreateQueue: (input) => {
      if (!isRecent(deletedAtMs, String(input.QueueName))) return createProblem(input);
      const message =
        'You must wait 60 seconds after deleting a queue before you can create another with the ' +
        'same name.';
      return { code: 'QueueDeletedRecently', message };
    },
  };
  return {
    refusal: (operation, input) => (stateful[operation] ?? checks[operation])?.(input),
    done: (operation, input) => {
      if (operation === 'PurgeQueue') purgedAtMs.set(queueName(input), nowMs());
      if (operation === 'DeleteQueue') deletedAtMs.set(queueName(input), nowMs());
    },
  };
}

const checks: Readonly<Record<string, Check>> = {
  SendMessage: messageProblem,
  SendMessageBatch: (input) => idProblem(input) ?? firstOf(entriesOf(input), messageProblem),
  DeleteMessage: handleProblem,
  DeleteMessageBatch: idProblem,
  ChangeMessageVisibility: handleProblem,
  ChangeMessageVisibilityBatch: idProblem,
  GetQueueAttributes: (input) =>
    attributeProblem(listOf(input.AttributeNames).map(String), [...attributeNames, 'All']),
  SetQueueAttributes: (input) =>
    attributeProblem(Object.keys((input.Attributes ?? {}) as JsonObject), attributeNames),
};

function createProblem(input: JsonObject): SqsRefusal | undefined {
  const name = String(input.QueueName ?? '');
  // A dot is for FIFO queues, which have to be asked for.
  const isFifo = ((input.Attributes ?? {}) as JsonObject).FifoQueue === 'true';
  const plain = isFifo ? name.replace(/\.fifo$/, '') : name;
  if (!/^[A-Za-z0-9_-]+$/.test(plain) || name.length > queueNameMax) {
    const message =
      'Can only include alphanumeric characters, hyphens, or underscores. ' +
      `1 to ${queueNameMax} in length`;
    return { code: 'InvalidParameterValue', message };
  }
  const given = Object.keys((input.Attributes ?? {}) as JsonObject);
  return attributeProblem(given, attributeNames);
}

const attributeNames = [
  'Policy',
  'VisibilityTimeout',
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'CreatedTimestamp',
  'LastModifiedTimestamp',
  'QueueArn',
  'ApproximateNumberOfMessagesDelayed',
  'DelaySeconds',
  'ReceiveMessageWaitTimeSeconds',
  'RedrivePolicy',
  'FifoQueue',
  'ContentBasedDeduplication',
  'KmsMasterKeyId',
  'KmsDataKeyReusePeriodSeconds',
  'DeduplicationScope',
  'FifoThroughputLimit',
  'RedriveAllowPolicy',
  'SqsManagedSseEnabled',
];

function attributeProblem(
  names: readonly string[],
  known: readonly string[],
): SqsRefusal | undefined {
  const name = names.find((item) => !known.includes(item));
  if (name === undefined) return undefined;
  return { code: 'InvalidAttributeName', message: `Unknown Attribute ${name}.` };
}

/** A message or an entry of a batch. */
function messageProblem(input: JsonObject): SqsRefusal | undefined {
  const delay = input.DelaySeconds;
  if (typeof delay === 'number' && (delay < 0 || delay > messageDelaySecondsMax)) {
    const reason = `DelaySeconds must be >= 0 and <= ${messageDelaySecondsMax}.`;
    const message = `Value ${delay} for parameter DelaySeconds is invalid. Reason: ${reason}`;
    return { code: 'InvalidParameterValue', message };
  }
  const attributes = Object.entries((input.MessageAttributes ?? {}) as JsonObject);
  if (attributes.length > messageAttributesMax) {
    const message =
      `Number of message attributes [${attributes.length}] exceeds the allowed maximum ` +
      `[${messageAttributesMax}].`;
    return { code: 'InvalidParameterValue', message };
  }
  for (const [name, value] of attributes) {
    const problem = valueProblem(value as JsonObject);
    if (problem === undefined) continue;
    const message = `The message attribute '${name}' ${problem}`;
    return { code: 'InvalidParameterValue', message };
  }
  return undefined;
}

function valueProblem(value: JsonObject): string | undefined {
  const type = String(value.DataType ?? '');
  const kind = type.split('.')[0];
  if (kind !== 'String' && kind !== 'Number' && kind !== 'Binary') {
    return (
      'has an invalid message attribute type, ' +
      'the set of supported type prefixes is Binary, Number, and String.'
    );
  }
  const given = kind === 'Binary' ? value.BinaryValue : value.StringValue;
  if (given === undefined || given === '') {
    return `must contain non-empty message attribute value for message attribute type '${type}'.`;
  }
  return undefined;
}

/** "It can be at most 80 letters long." */
function idProblem(input: JsonObject): SqsRefusal | undefined {
  if (entriesOf(input).every((entry) => String(entry.Id).length <= 80)) return undefined;
  const message =
    'A batch entry id can only contain alphanumeric characters, hyphens and underscores. ' +
    'It can be at most 80 letters long.';
  return { code: 'InvalidBatchEntryId', message };
}

function handleProblem(input: JsonObject): SqsRefusal | undefined {
  const handle = input.ReceiptHandle;
  if (typeof handle !== 'string' || handle === '' || isReceiptHandle(handle)) return undefined;
  const message = `The input receipt handle "${handle}" is not a valid receipt handle.`;
  return { code: 'ReceiptHandleIsInvalid', message };
}

/** The stand-in's receipt handles are UUIDs. */
export function isReceiptHandle(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

export function entriesOf(input: JsonObject): JsonObject[] {
  return listOf(input.Entries) as JsonObject[];
}

function firstOf(items: readonly JsonObject[], check: Check): SqsRefusal | undefined {
  for (const item of items) {
    const problem = check(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** The name at the end of a queue's address. */
export function queueName(input: JsonObject): string {
  const url = String(input.QueueUrl ?? '');
  return url.slice(url.lastIndexOf('/') + 1);
}
