/**
 * SQS: asks the caller's role, refuses what AWS refuses, then hands the request to the stand-in.
 * Queue addresses are the gateway's.
 */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Account, arnOf } from '../../account.ts';
import type { Json, JsonObject } from '../../assembly/assembly.ts';
import { sendJson, sendJsonError } from '../../engine/gateway/answer.ts';
import type { GatewayRequest } from '../../engine/gateway/request.ts';
import type { GatewayService } from '../../engine/gateway/service.ts';
import { refuseOperation } from '../../engine/gateway/unknown-operation.ts';
import type { AccessRequest } from '../iam/policy.ts';
import type { RoleBook } from '../iam/roles.ts';
import type { QueuesAndBuckets, StandInAnswer } from '../queues-and-buckets.ts';
import {
  entriesOf,
  isReceiptHandle,
  queueName,
  type SqsChecks,
  type SqsRefusal,
  sqsChecks,
} from './checks.ts';
import { type LateDeletes, lateDeletes } from './late-deletes.ts';
import { type MessageMoves, messageMoves } from './message-moves.ts';

export function sqsService(
  account: Account,
  gatewayUrl: string,
  roles: RoleBook,
  standIn: QueuesAndBuckets,
): GatewayService {
  return new Sqs({ account, gatewayUrl, roles, standIn });
}

type SqsOptions = {
  readonly account: Account;
  readonly gatewayUrl: string;
  readonly roles: RoleBook;
  readonly standIn: QueuesAndBuckets;
};

/** What the stand-in has, and what is added to it. */
const operations = [
  ...['CreateQueue', 'DeleteQueue', 'ListQueues', 'GetQueueUrl', 'PurgeQueue'],
  ...['GetQueueAttributes', 'SetQueueAttributes', 'ListQueueTags', 'TagQueue', 'UntagQueue'],
  ...['SendMessage', 'SendMessageBatch', 'ReceiveMessage', 'DeleteMessage', 'DeleteMessageBatch'],
  ...['ChangeMessageVisibility', 'ChangeMessageVisibilityBatch'],
  ...['StartMessageMoveTask', 'ListMessageMoveTasks', 'CancelMessageMoveTask'],
];

class Sqs implements GatewayService {
  readonly operations = operations;
  readonly instead = 'Policies of queues come from the template.';
  readonly targets = ['AmazonSQS'];
  readonly #options: SqsOptions;
  readonly #checks: SqsChecks = sqsChecks(Date.now);
  readonly #late: LateDeletes = lateDeletes();
  readonly #moves: MessageMoves;

  constructor(options: SqsOptions) {
    this.#options = options;
    this.#moves = messageMoves(options.standIn.queues);
  }

  async handle(request: GatewayRequest, res: ServerResponse): Promise<void> {
    const { account, roles } = this.#options;
    const operation = request.target.slice(request.target.indexOf('.') + 1);
    const input = parse(request.body);
    const access = sqsAccess(account, operation, input);
    const sentence = roles.refusal(roles.callerOf(request.accessKeyId), [access]);
    if (sentence !== undefined) {
      const type = 'com.amazon.coral.service#AccessDeniedException';
      return sendJsonError(res, 403, type, sentence);
    }
    const refusal = this.#checks.refusal(operation, input);
    if (refusal !== undefined) return sendRefusal(res, refusal);
    const moved = this.#moves.handle(operation, input);
    if (moved !== undefined) {
      if (isRefusal(moved)) sendRefusal(res, moved);
      else sendJson(res, 200, moved);
      return;
    }
    const answer =
      operation === 'ReceiveMessage'
        ? await this.#receive(request, input, res)
        : await this.#ask(request, operation, input);
    if (answer === undefined) return;
    if (answer.status === 200) this.#note(operation, input, answer);
    if (answer.status === 400 && answer.body.includes('#InvalidAction"')) {
      return refuseOperation(request, res, this, operation);
    }
    this.#send(res, operation, input, answer);
  }

  #note(operation: string, input: JsonObject, answer: StandInAnswer): void {
    this.#checks.done(operation, input);
    if (operation === 'ReceiveMessage') this.#late.received(messagesOf(answer.body));
    const entries = operation === 'DeleteMessage' ? [input] : entriesOf(input);
    if (!operation.startsWith('DeleteMessage')) return;
    for (const { ReceiptHandle } of entries) {
      this.#late.remove(this.#queue(input), String(ReceiptHandle));
    }
  }

  #ask(request: GatewayRequest, operation: string, input: JsonObject): Promise<StandInAnswer> {
    if (operation === 'GetQueueAttributes') this.#queue(input)?.processTimers();
    return this.#options.standIn.handle({
      method: 'POST',
      url: '/',
      headers: {
        ...request.message.headers,
        host: new URL(this.#options.gatewayUrl).host,
        'content-length': String(request.body.length),
      },
      body: request.body,
    });
  }

  /**
   * A long poll ends with a message or with its time: of several that wait, one message wakes all,
   * and those that got none wait on. What a client that has gone would have got is visible again.
   */
  async #receive(
    request: GatewayRequest,
    input: JsonObject,
    res: ServerResponse,
  ): Promise<StandInAnswer | undefined> {
    const queue = this.#queue(input);
    const standard = Number(queue?.attributes.ReceiveMessageWaitTimeSeconds ?? 0);
    const waitMs = Number(input.WaitTimeSeconds ?? standard) * 1_000;
    const deadlineMs = performance.now() + waitMs;
    let answer = await this.#ask(request, 'ReceiveMessage', input);
    for (;;) {
      const leftMs = deadlineMs - performance.now();
      const messages = answer.status === 200 ? messagesOf(answer.body) : [];
      const isFinal = answer.status !== 200 || messages.length > 0 || leftMs < 50;
      if (res.destroyed) {
        for (const { ReceiptHandle } of messages) queue?.changeVisibility(ReceiptHandle, 0);
        return undefined;
      }
      if (isFinal || queue === undefined) return answer;
      const body = Buffer.from(JSON.stringify({ ...input, WaitTimeSeconds: leftMs / 1_000 }));
      answer = await this.#ask({ ...request, body }, 'ReceiveMessage', input);
    }
  }

  #queue(input: JsonObject): ReturnType<QueuesAndBuckets['queues']['getQueueByName']> {
    return this.#options.standIn.queues.getQueueByName(queueName(input));
  }

  #send(res: ServerResponse, operation: string, input: JsonObject, answer: StandInAnswer): void {
    const body = mended(operation, input, answer, this.#options.gatewayUrl);
    const headers: ReturnType<typeof plain> = {
      'x-amzn-requestid': randomUUID(),
      ...plain(answer.headers),
    };
    const code = /^AWS\.SimpleQueueService\.(\w+);/.exec(
      String(headers['x-amzn-query-error'] ?? ''),
    )?.[1];
    if (code !== undefined) headers['x-amzn-query-error'] = `${olderCode(code)};Sender`;
    res.writeHead(answer.status, { ...headers, 'content-length': body.length });
    res.end(body);
  }
}

function isRefusal(answer: JsonObject | SqsRefusal): answer is SqsRefusal {
  return 'code' in answer;
}

/** With the code of the older protocol in a header, for programs that look for that one. */
function sendRefusal(res: ServerResponse, { code, message }: SqsRefusal): void {
  res.setHeader('x-amzn-query-error', `${olderCode(code)};Sender`);
  sendJsonError(res, 400, `com.amazonaws.sqs#${code}`, message);
}

/** Some codes of the older protocol have a name in front, and one is another. */
function olderCode(code: string): string {
  if (code === 'QueueNameExists') return 'QueueAlreadyExists';
  return /^(Invalid(Parameter|Attribute|Message)|MissingParameter|Receipt|Resource)/.test(code)
    ? code
    : `AWS.SimpleQueueService.${code}`;
}

type Received = {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
};

function messagesOf(body: Buffer): Received[] {
  return (JSON.parse(body.toString()) as { Messages?: Received[] }).Messages ?? [];
}

/** The stand-in's answer as AWS would give it. */
function mended(
  operation: string,
  input: JsonObject,
  answer: StandInAnswer,
  gatewayUrl: string,
): Buffer {
  if (answer.status !== 200) return answer.body;
  switch (operation) {
    case 'GetQueueUrl':
    case 'ListQueues':
    case 'CreateQueue':
      return withGatewayAddress(answer.body, gatewayUrl);
    case 'GetQueueAttributes':
      // Without names there are no attributes.
      return Array.isArray(input.AttributeNames) ? answer.body : Buffer.from('{}');
    case 'ReceiveMessage':
      return withWantedAttributes(input, answer.body);
    case 'DeleteMessageBatch':
      return withInvalidHandles(input, answer.body);
    default:
      return answer.body;
  }
}

/** Message attributes come only with those who name them. */
function withWantedAttributes(input: JsonObject, body: Buffer): Buffer {
  const names = input.MessageAttributeNames;
  if (Array.isArray(names) && names.length > 0) return body;
  if (!body.includes('"MessageAttributes"')) return body;
  const answer = JSON.parse(body.toString()) as { Messages?: JsonObject[] };
  for (const message of answer.Messages ?? []) {
    delete message.MessageAttributes;
    delete message.MD5OfMessageAttributes;
  }
  return Buffer.from(JSON.stringify(answer));
}

/** The stand-in takes every handle of a batch. */
function withInvalidHandles(input: JsonObject, body: Buffer): Buffer {
  const isInvalid = (handle: Json | undefined): boolean => !isReceiptHandle(String(handle ?? ''));
  const invalid = entriesOf(input).filter((entry) => isInvalid(entry.ReceiptHandle));
  if (invalid.length === 0) return body;
  const ids = new Set(invalid.map((entry) => entry.Id));
  const answer = JSON.parse(body.toString()) as { Successful: JsonObject[]; Failed: JsonObject[] };
  const Failed = invalid.map(({ Id, ReceiptHandle }) => ({
    Id,
    SenderFault: true,
    Code: 'ReceiptHandleIsInvalid',
    Message: `The input receipt handle "${ReceiptHandle}" is not a valid receipt handle.`,
  }));
  const Successful = answer.Successful.filter((entry) => !ids.has(entry.Id));
  return Buffer.from(JSON.stringify({ Successful, Failed: [...answer.Failed, ...Failed] }));
}

/** Batches need the permission of the single operation. */
export function sqsAccess(account: Account, operation: string, input: JsonObject): AccessRequest {
  const action = `sqs:${operation.replace(/Batch$/, '')}`;
  if (typeof input.SourceArn === 'string') return { action, resource: input.SourceArn };
  const url = input.QueueUrl;
  const name = typeof url === 'string' ? url.slice(url.lastIndexOf('/') + 1) : input.QueueName;
  return { action, resource: name === undefined ? '*' : arnOf(account, 'sqs', String(name)) };
}

/** A queue made under another port base still carries its old address. */
function withGatewayAddress(body: Buffer, gatewayUrl: string): Buffer {
  return Buffer.from(
    body.toString().replace(/https?:\/\/[^/"]+\/(\d{12})\//g, `${gatewayUrl}/$1/`),
  );
}

export function plain(
  headers: Record<string, string | string[] | number | undefined>,
): Record<string, string | string[] | number> {
  const result: Record<string, string | string[] | number> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && name !== 'connection' && name !== 'transfer-encoding') {
      result[name] = value;
    }
  }
  return result;
}

function parse(body: Buffer): JsonObject {
  try {
    return JSON.parse(body.toString()) as JsonObject;
  } catch {
    return {};
  }
}
