/**
 * The Lambda Runtime API (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html): "next",
 * "response", "error" and "init/error". One server for all functions; the first part of the path,
 * which a process gets with `AWS_LAMBDA_RUNTIME_API`, says whose request it is.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { lambdaPayloadBytesMax } from '../../../limits.ts';
import type { StreamedAnswer } from '../definition.ts';

export type Delivery = {
  readonly requestId: string;
  readonly payload: Buffer;
  readonly deadlineAtMs: number;
  readonly functionArn: string;
  readonly clientContext: string | undefined;
};

export type RuntimeClient = {
  /** The process is free and waits: answer now or later through `deliver`. */
  next(deliver: (delivery: Delivery) => void): void;
  /** Whether somebody takes the answer as it comes; otherwise it is given whole. */
  streams(requestId: string, answer: StreamedAnswer): boolean;
  responded(requestId: string, payload: Buffer, memoryKb: number): void;
  failed(requestId: string, payload: Buffer, memoryKb: number): void;
  startFailed(payload: Buffer): void;
};

export type RuntimeApi = {
  /** Value of AWS_LAMBDA_RUNTIME_API for the process with this id. */
  address(id: string): string;
  attach(id: string, client: RuntimeClient): void;
  detach(id: string): void;
  close(): Promise<void>;
};

/**
 * The requests of one connection, served in their order. A process may send its answer and its next
 * request in one piece: then it waits for the next invocation and nothing else, and is not woken
 * for the receipt of its answer before.
 */
type Line = {
  last: Promise<void>;
  queued: number;
  receipt?: (() => void) | undefined;
};

export async function startRuntimeApi(): Promise<RuntimeApi> {
  const clients = new Map<string, RuntimeClient>();
  const lines = new WeakMap<Socket, Line>();
  const server = createServer((req, res) => {
    const [, id = '', , , ...rest] = (req.url ?? '').split('/');
    const client = clients.get(id);
    if (client === undefined) {
      req.resume();
      res.writeHead(403).end();
      return;
    }
    const line = lines.get(req.socket) ?? { last: Promise.resolve(), queued: 0 };
    lines.set(req.socket, line);
    line.queued += 1;
    line.last = line.last.then(() => {
      line.queued -= 1;
      return serve(client, rest.join('/'), req, res, line);
    });
  });
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  server.headersTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: (id) => `127.0.0.1:${port}/${id}`,
    attach: (id, client) => void clients.set(id, client),
    detach: (id) => void clients.delete(id),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  client: RuntimeClient,
  path: string,
  req: IncomingMessage,
  res: ServerResponse,
  line: Line,
): Promise<void> {
  if (path === 'invocation/next') {
    req.resume();
    client.next((delivery) => {
      line.receipt?.();
      line.receipt = undefined;
      const { clientContext } = delivery;
      res.writeHead(200, {
        ...(clientContext === undefined ? {} : { 'lambda-runtime-client-context': clientContext }),
        'content-type': 'application/json',
        'content-length': delivery.payload.length,
        'lambda-runtime-aws-request-id': delivery.requestId,
        'lambda-runtime-deadline-ms': String(delivery.deadlineAtMs),
        'lambda-runtime-invoked-function-arn': delivery.functionArn,
        'lambda-runtime-trace-id': traceId(delivery.requestId),
      });
      res.end(delivery.payload);
    });
    return;
  }
  const [kind, requestId = '', verb] = path.split('/');
  const isStreamed = req.headers['lambda-runtime-function-response-mode'] === 'streaming';
  const contentType = req.headers['content-type'] ?? '';
  const isTaken = isStreamed && client.streams(requestId, { contentType, body: req });
  const body = isTaken ? await endOf(req) : await bodyOf(req);
  // Of a process that is gone the end is seen elsewhere.
  if (isStreamed && !req.complete) return;
  const receipt = () => res.writeHead(202, { 'content-length': 0 }).end();
  if (line.queued > 0) line.receipt = receipt;
  else receipt();
  const memoryKb = Number(req.headers['x-max-memory-kb'] ?? 0);
  const failedBehind = req.trailers['lambda-runtime-function-error-body'];
  if (kind === 'init') client.startFailed(body);
  else if (failedBehind !== undefined) {
    client.failed(requestId, Buffer.from(failedBehind, 'base64'), memoryKb);
  } else if (verb === 'error') client.failed(requestId, body, memoryKb);
  else if (body.length > lambdaPayloadBytesMax) {
    const errorMessage =
      'Response payload size exceeded maximum allowed payload size ' +
      `(${lambdaPayloadBytesMax} bytes).`;
    const errorType = 'Function.ResponseSizeTooLarge';
    client.failed(requestId, Buffer.from(JSON.stringify({ errorType, errorMessage })), memoryKb);
  } else client.responded(requestId, body, memoryKb);
}

/** `Root=1-<time>-<id>;Parent=…;Sampled=0`: there is no X-Ray, so nothing is sampled. */
function traceId(requestId: string): string {
  const hex = requestId.replaceAll('-', '');
  const time = Math.floor(Date.now() / 1000).toString(16);
  return `Root=1-${time}-${hex.slice(0, 24)};Parent=${hex.slice(16)};Sampled=0`;
}

function bodyOf(req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => resolve(Buffer.concat(chunks)));
    req.on('error', () => resolve(Buffer.alloc(0)));
  });
}

/** Of a body that somebody else reads. */
function endOf(req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    req.on('close', () => resolve(Buffer.alloc(0)));
    req.on('error', () => undefined);
  });
}
