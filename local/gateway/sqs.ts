/**
 * SQS: asks the caller's role, then hands the request to the stand-in. Queue addresses are the
 * gateway's.
 */
import { type Account, arnOf } from '../account.ts';
import type { AccessRequest } from '../iam/policy.ts';
import type { RoleBook } from '../iam/roles.ts';
import type { QueuesAndBuckets } from '../queues/fauxqs.ts';
import type { JsonObject } from '../template/assembly.ts';
import { sendJsonError } from './answer.ts';
import type { GatewayService } from './service.ts';

export function sqsService(
  account: Account,
  gatewayUrl: string,
  roles: RoleBook,
  standIn: QueuesAndBuckets,
): GatewayService {
  return {
    handle: async (request, res) => {
      const operation = request.target.slice(request.target.indexOf('.') + 1);
      const input = parse(request.body);
      const access = sqsAccess(account, operation, input);
      const sentence = roles.refusal(roles.callerOf(request.accessKeyId), [access]);
      if (sentence !== undefined) {
        const type = 'com.amazon.coral.service#AccessDeniedException';
        return sendJsonError(res, 403, type, sentence);
      }
      const answer = await standIn.handle({
        method: 'POST',
        url: '/',
        headers: { ...request.message.headers, host: new URL(gatewayUrl).host },
        body: request.body,
      });
      const body = withGatewayAddress(operation, answer.body, gatewayUrl);
      res.writeHead(answer.status, { ...plain(answer.headers), 'content-length': body.length });
      res.end(body);
    },
  };
}

/** Batches need the permission of the single operation. */
export function sqsAccess(account: Account, operation: string, input: JsonObject): AccessRequest {
  const action = `sqs:${operation.replace(/Batch$/, '')}`;
  const url = input.QueueUrl;
  const name = typeof url === 'string' ? url.slice(url.lastIndexOf('/') + 1) : input.QueueName;
  return { action, resource: name === undefined ? '*' : arnOf(account, 'sqs', String(name)) };
}

/** A queue made under another port base still carries its old address. */
function withGatewayAddress(operation: string, body: Buffer, gatewayUrl: string): Buffer {
  if (!['GetQueueUrl', 'ListQueues', 'CreateQueue'].includes(operation)) return body;
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
