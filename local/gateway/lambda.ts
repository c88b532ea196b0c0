/** Lambda's Invoke, synchronous, asynchronous and dry run. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { RoleBook } from '../iam/roles.ts';
import type { FunctionDefinition } from '../lambda/definition.ts';
import type { LambdaService } from '../lambda/service.ts';
import { lambdaAsyncPayloadBytesMax, lambdaPayloadBytesMax } from '../limits.ts';
import { sendRestError } from './answer.ts';
import type { GatewayRequest } from './request.ts';
import type { GatewayService } from './service.ts';

export function lambdaGateway(
  roles: RoleBook,
  lambda: LambdaService,
  functionArn: (name: string) => string,
): GatewayService {
  return {
    handle: async (request, res) => {
      const match = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(request.path);
      if (match === null || request.method !== 'POST') {
        return sendRestError(res, 404, 'UnknownOperationException', 'Unknown operation.');
      }
      const name = decodeURIComponent(match[1] ?? '');
      const definition = lambda.find(name);
      const resource = definition?.arn ?? functionArn(name);
      const access = { action: 'lambda:InvokeFunction', resource };
      const sentence = roles.refusal(roles.callerOf(request.accessKeyId), [access]);
      if (sentence !== undefined) {
        return sendRestError(res, 403, 'AccessDeniedException', sentence);
      }
      if (definition === undefined) {
        return sendRestError(
          res,
          404,
          'ResourceNotFoundException',
          `Function not found: ${resource}`,
        );
      }
      await invoke(request, res, lambda, definition);
    },
  };
}

async function invoke(
  request: GatewayRequest,
  res: ServerResponse,
  lambda: LambdaService,
  definition: FunctionDefinition,
): Promise<void> {
  const kind = String(request.message.headers['x-amz-invocation-type'] ?? 'RequestResponse');
  const payload = request.body.length === 0 ? Buffer.from('{}') : request.body;
  const bytesMax = kind === 'Event' ? lambdaAsyncPayloadBytesMax : lambdaPayloadBytesMax;
  if (payload.length > bytesMax) {
    const message =
      `Request must be smaller than ${bytesMax} bytes ` + 'for the InvokeFunction operation';
    return sendRestError(res, 413, 'RequestTooLargeException', message);
  }
  if (!isJson(payload)) {
    const message = 'Could not parse request body into json.';
    return sendRestError(res, 400, 'InvalidRequestContentException', message);
  }
  if (kind === 'DryRun') return sendPayload(res, 204, Buffer.alloc(0));
  if (kind === 'Event') {
    await lambda.invokeLater(definition, payload);
    return sendPayload(res, 202, Buffer.alloc(0));
  }
  const outcome = await lambda.invoke(definition, payload);
  switch (outcome.kind) {
    case 'throttled':
      return sendRestError(res, 429, 'TooManyRequestsException', outcome.reason);
    case 'failed':
      return sendPayload(res, 200, outcome.payload, { 'x-amz-function-error': 'Unhandled' });
    case 'ok':
      return sendPayload(res, 200, outcome.payload);
  }
}

function sendPayload(
  res: ServerResponse,
  status: number,
  payload: Buffer,
  headers: Record<string, string> = {},
): void {
  res.writeHead(status, {
    'content-type': 'application/json',
    'content-length': payload.length,
    'x-amzn-requestid': randomUUID(),
    'x-amz-executed-version': '$LATEST',
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
