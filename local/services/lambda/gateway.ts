/**
 * Lambda: Invoke, synchronous, asynchronous and dry run
 * (https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html), and what tells about functions
 * and their event sources. Functions have one version, `$LATEST`; no other qualifier is found.
 */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Account, arnOf } from '../../account.ts';
import { sendRestError, sendRestJson } from '../../engine/gateway/answer.ts';
import type { GatewayRequest } from '../../engine/gateway/request.ts';
import { routesOf } from '../../engine/gateway/routes.ts';
import { fromTemplate, type GatewayService, type Offer } from '../../engine/gateway/service.ts';
import { refuseOperation } from '../../engine/gateway/unknown-operation.ts';
import {
  lambdaAsyncPayloadBytesMax,
  lambdaClientContextBytesMax,
  lambdaPayloadBytesMax,
} from '../../limits.ts';
import type { RoleBook } from '../iam/roles.ts';
import type { FunctionDefinition, InvocationOutcome } from './definition.ts';
import { type LambdaWorld, readingOperations, readingRoutes } from './reading.ts';
import type { LambdaService } from './service.ts';

const latest = '$LATEST';

export type LambdaGatewayOptions = LambdaWorld & {
  readonly roles: RoleBook;
  readonly account: Account;
};

const routes = routesOf([
  {
    operation: 'Invoke',
    method: 'POST',
    path: '/2015-03-31/functions/{name}/invocations',
  },
  ...readingRoutes,
]);

const offer: Offer = {
  operations: ['Invoke', ...readingRoutes.map(({ operation }) => operation)],
  instead: `Functions have one version, $LATEST. ${fromTemplate}`,
};

export function lambdaGateway(options: LambdaGatewayOptions): GatewayService {
  const { roles, lambda, account } = options;
  const reading = readingOperations(options);
  return {
    ...offer,
    targets: [],
    handle: async (request, res) => {
      const found = routes.find(request.message);
      if (found === undefined) return refuseOperation(request, res, offer);
      const name = found.path['name'];
      const definition = name === undefined ? undefined : lambda.find(name);
      const resource =
        name === undefined
          ? '*'
          : (definition?.arn ?? arnOf(account, 'lambda', `function:${name}`));
      const isInvoke = found.operation === 'Invoke';
      const action = isInvoke ? 'lambda:InvokeFunction' : `lambda:${found.operation}`;
      const sentence = roles.refusal(roles.callerOf(request.accessKeyId), [{ action, resource }]);
      if (sentence !== undefined) return sendError(res, 403, 'AccessDeniedException', sentence);
      const version = request.query.get('Qualifier') ?? qualifierOf(name ?? '');
      const isOther = (version ?? latest) !== latest;
      if (name !== undefined && (definition === undefined || isOther)) {
        const suffix = version === undefined || definition === undefined ? '' : `:${version}`;
        const message = `Function not found: ${resource}${suffix}`;
        return sendError(res, 404, 'ResourceNotFoundException', message);
      }
      if (isInvoke && definition !== undefined) return invoke(request, res, lambda, definition);
      const answer = reading(found, definition);
      if (typeof answer !== 'string') return sendRestJson(res, 200, answer);
      sendError(res, 404, 'ResourceNotFoundException', answer);
    },
  };
}

/** The part after the name: `name:qualifier`, alone or at the end of an ARN. */
function qualifierOf(name: string): string | undefined {
  const parts = name.split(':');
  const at = parts.indexOf('function');
  return at > 0 ? parts[at + 2] : parts[1];
}

/** Lambda's own errors say whose fault it is. */
function sendError(
  res: ServerResponse,
  status: number,
  type: string,
  message: string,
  rest: Record<string, string> = {},
): void {
  sendRestError(res, status, type, message, { Type: 'User', ...rest });
}

async function invoke(
  request: GatewayRequest,
  res: ServerResponse,
  lambda: LambdaService,
  definition: FunctionDefinition,
): Promise<void> {
  const { headers } = request.message;
  const kind = String(headers['x-amz-invocation-type'] ?? 'RequestResponse');
  const context = headers['x-amz-client-context'];
  const payload = request.body.length === 0 ? Buffer.from('{}') : request.body;
  const problem = problemOf(kind, payload, String(context ?? ''));
  if (problem !== undefined) {
    return sendError(res, problem.status, problem.type, problem.message);
  }
  const requestId = randomUUID();
  if (kind === 'DryRun') return sendPayload(res, 204, requestId, Buffer.alloc(0));
  if (kind === 'Event') {
    await lambda.invokeLater(definition, payload, requestId);
    return sendPayload(res, 202, requestId, Buffer.alloc(0));
  }
  const outcome = await lambda.invoke(definition, payload, {
    requestId,
    wantsLog: headers['x-amz-log-type'] === 'Tail',
    ...(context === undefined ? {} : { clientContext: contextText(String(context)) }),
  });
  sendOutcome(res, requestId, outcome, definition);
}

/** JSON that can stand in a header. */
function contextText(base64: string): string {
  return Buffer.from(base64, 'base64')
    .toString()
    .replace(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

type Problem = {
  readonly status: number;
  readonly type: string;
  readonly message: string;
};

/** What is wrong with a request, in AWS's words. */
function problemOf(kind: string, payload: Buffer, context: string): Problem | undefined {
  if (!['RequestResponse', 'Event', 'DryRun'].includes(kind)) {
    const message =
      `1 validation error detected: Value '${kind}' at 'invocationType' failed to satisfy ` +
      'constraint: Member must satisfy enum value set: [Event, RequestResponse, DryRun]';
    return { status: 400, type: 'ValidationException', message };
  }
  const bytesMax = kind === 'Event' ? lambdaAsyncPayloadBytesMax : lambdaPayloadBytesMax;
  if (payload.length > bytesMax) {
    const bound = `Request must be smaller than ${bytesMax} bytes`;
    const message = `${bound} for the InvokeFunction operation`;
    return { status: 413, type: 'RequestTooLargeException', message };
  }
  if (context.length > lambdaClientContextBytesMax) {
    const message = `Client context must be smaller than ${lambdaClientContextBytesMax} bytes`;
    return { status: 400, type: 'InvalidRequestContentException', message };
  }
  if (isJson(payload)) return undefined;
  const message = 'Could not parse request body into json.';
  return { status: 400, type: 'InvalidRequestContentException', message };
}

function sendOutcome(
  res: ServerResponse,
  requestId: string,
  outcome: InvocationOutcome,
  definition: FunctionDefinition,
): void {
  if (outcome.kind === 'throttled') {
    const isReserved = definition.concurrencyReserved !== undefined;
    const Reason = `${isReserved ? 'ReservedFunction' : ''}ConcurrentInvocationLimitExceeded`;
    sendError(res, 429, 'TooManyRequestsException', outcome.reason, { Reason });
    return;
  }
  sendPayload(res, 200, requestId, outcome.payload, {
    'x-amz-executed-version': latest,
    ...(outcome.kind === 'failed' ? { 'x-amz-function-error': 'Unhandled' } : {}),
    ...(outcome.log === undefined
      ? {}
      : { 'x-amz-log-result': Buffer.from(outcome.log).toString('base64') }),
  });
}

function sendPayload(
  res: ServerResponse,
  status: number,
  requestId: string,
  payload: Buffer,
  headers: Record<string, string> = {},
): void {
  res.writeHead(status, {
    ...(status === 204 ? {} : { 'content-length': payload.length }),
    'content-type': 'application/json',
    'x-amzn-requestid': requestId,
    ...headers,
  });
  res.end(payload);
}

function isJson(payload: Buffer): boolean {
  try {
    JSON.parse(payload.toString());
    return true;
  } catch {
    return false;
  }
}
