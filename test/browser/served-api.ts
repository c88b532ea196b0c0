import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApiStage } from '../lambdas/api/api-stage.ts';

/**
 * The handlers of the API over HTTP, as a browser meets them behind the gateway. What a request
 * changes is passed and folded before it is answered, so that a test sees what comes of it. Trouble
 * can be switched on: `offline` drops connections, a number answers with that status.
 */
export type ServedApi = {
  readonly url: string;
  /** Another one may take its place while pages are open. */
  stage: ApiStage;
  trouble: 'none' | 'offline' | number;
  /** Origins that browsers may call from; empty allows all. */
  origin: string;
  close(): Promise<void>;
};

const allowedHeaders = 'authorization,content-type,idempotency-key,if-match,if-none-match';

export async function serveApi(stage: ApiStage): Promise<ServedApi> {
  const api: ServedApi = { url: '', stage, trouble: 'none', origin: '', close: async () => {} };
  const server = createServer((request, response) => void answer(api, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(api, {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

async function answer(api: ServedApi, request: IncomingMessage, response: ServerResponse) {
  if (api.trouble === 'offline') {
    request.socket.destroy();
    return;
  }
  response.setHeader('access-control-allow-origin', api.origin || '*');
  response.setHeader('access-control-allow-headers', allowedHeaders);
  response.setHeader('access-control-allow-methods', 'GET,POST,PUT,PATCH,DELETE');
  response.setHeader('access-control-expose-headers', 'etag');
  response.setHeader('access-control-max-age', '600');
  const { method = 'GET', url = '/' } = request;
  if (method === 'OPTIONS') {
    response.writeHead(204).end();
    return;
  }
  if (typeof api.trouble === 'number') {
    const detail = 'Switched on.';
    const problem = { type: 'about:blank', title: detail, status: api.trouble, code: 'x', detail };
    response.writeHead(api.trouble, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify(problem));
    return;
  }
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const headers = headersOf(request);
  const body = parts.length === 0 ? {} : { raw: Buffer.concat(parts) };
  const answered = await api.stage.request(method, url, { token: null, headers, ...body });
  if (method !== 'GET' && answered.status < 400) await api.stage.settle();
  response.writeHead(answered.status, answered.headers);
  response.end(answered.text);
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string') headers[name] = value;
  }
  return headers;
}
