/**
 * Serves the address of one function: the event of payload format 2.0, and the answer as it comes.
 * Who goes away does not stop the function: "Lambda functions continue until they finish".
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readBody } from '../../../engine/gateway/request.ts';
import { forThisMachine, type HostCheck } from '../../../engine/host-check.ts';
import { functionUrlRequestsMax, lambdaPayloadBytesMax } from '../../../limits.ts';
import { functionAnswer } from '../../apigateway/answer.ts';
import { preflightHeaders, responseHeaders } from '../../apigateway/cors.ts';
import type { CorsSettings } from '../../apigateway/definition.ts';
import { apiRequest, proxyEvent } from '../../apigateway/event.ts';
import type { FunctionDefinition } from '../definition.ts';
import type { LambdaService } from '../service.ts';
import { sendStreamed } from './streamed-answer.ts';

export type FunctionUrlOptions = {
  definition: FunctionDefinition;
  cors: CorsSettings | undefined;
  isKnownHost: HostCheck;
  invoke: LambdaService['invoke'];
};

export function functionUrlServer(options: FunctionUrlOptions): Server {
  let running = 0;
  const listener = async (message: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (options.cors !== undefined && allowPages(options.cors, message, res)) return;
    if (running >= functionUrlRequestsMax) return refuse(res, 429, 'Rate Exceeded.');
    running += 1;
    try {
      await serve(options, message, res);
    } finally {
      running -= 1;
    }
  };
  return createServer(
    forThisMachine(options.isKnownHost, (message, res) => {
      listener(message, res).catch(() => refuse(res, 502, 'Internal Server Error'));
    }),
  );
}

/** Whether it was a preflight request, which no function sees. */
function allowPages(cors: CorsSettings, { method, headers }: IncomingMessage, res: ServerResponse) {
  const asked = headers['access-control-request-method'];
  const isPreflight = method === 'OPTIONS' && asked !== undefined;
  const allowed = isPreflight
    ? preflightHeaders(cors, headers.origin, asked)
    : responseHeaders(cors, headers.origin);
  for (const [name, value] of Object.entries(allowed)) res.setHeader(name, value);
  if (isPreflight) res.writeHead(200).end();
  return isPreflight;
}

async function serve(
  { definition, invoke }: FunctionUrlOptions,
  message: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const body = await readBody(message, lambdaPayloadBytesMax);
  if (body === undefined) return refuse(res, 413, 'Request Entity Too Large');
  const request = apiRequest(message, { id: definition.name, stageVariables: {} }, randomUUID());
  const anything = {
    ...{ logicalId: definition.name, key: '$default' },
    ...{ integrationId: '', authorizerId: undefined },
  };
  const event = proxyEvent(request, { route: anything, pathParameters: {} }, undefined, body);
  let isStreamed = false;
  const outcome = await invoke(definition, Buffer.from(JSON.stringify(event)), {
    onStream: (answer) => {
      isStreamed = true;
      sendStreamed(answer, res);
    },
  });
  if (outcome.kind === 'throttled') return refuse(res, 429, outcome.reason);
  if (outcome.kind === 'failed') return refuse(res, 502, 'Internal Server Error');
  if (isStreamed) {
    res.end();
    return;
  }
  const answer = functionAnswer(outcome.payload);
  if (answer === undefined) return refuse(res, 502, 'Internal Server Error');
  res.writeHead(answer.status, answer.headers).end(answer.body);
}

/** An answer that has begun can only be cut off. */
function refuse(res: ServerResponse, status: number, message: string): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
}
