import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requestBytesMax, scrapeMsMax, scrapersMax } from './limits.ts';
import { isLoopback, type MetricsAddress } from './metrics-address.ts';
import { type Family, prometheusText, prometheusType } from './prometheus-text.ts';

/**
 * One page that is read and nothing else: `GET /metrics`. On an address of this machine only who
 * addresses this machine is answered, so that no page of a browser gets there under another name.
 */
export type MetricsServer = {
  readonly port: number;
  /** Before it knows what to show it answers 503. */
  show(families: () => readonly Family[]): void;
  close(): Promise<void>;
};

export class MetricsError extends Error {}

export async function openMetrics({ host, port }: MetricsAddress): Promise<MetricsServer> {
  let families: (() => readonly Family[]) | null = null;
  const server = createServer(
    { maxHeaderSize: requestBytesMax, requestTimeout: scrapeMsMax, headersTimeout: scrapeMsMax },
    (request, response) => {
      const [status, text] = answerTo(request, isLoopback(host), families);
      send(response, status, text);
    },
  );
  server.maxConnections = scrapersMax;
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      const why = code === 'EADDRINUSE' ? 'somebody has it already' : (code ?? 'error');
      reject(new MetricsError(`The address ${host}:${port} of --metrics cannot be had: ${why}.`));
    });
    server.listen(port, host, resolve);
  });
  // It keeps no process alive.
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    show(given) {
      families = given;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function answerTo(
  request: IncomingMessage,
  isOwn: boolean,
  families: (() => readonly Family[]) | null,
): [number, string] {
  if (isOwn && !isOwnName(request.headers.host ?? '')) return [421, 'Ask 127.0.0.1.\n'];
  if (request.url?.split('?')[0] !== '/metrics') return [404, 'There is only /metrics.\n'];
  if (request.method !== 'GET' && request.method !== 'HEAD') return [405, 'It is only read.\n'];
  return families === null ? [503, 'The agent is starting.\n'] : [200, prometheusText(families())];
}

function isOwnName(host: string): boolean {
  return isLoopback(host.replace(/:\d+$/, '').replace(/^\[|\]$/g, ''));
}

function send(response: ServerResponse, status: number, text: string): void {
  const type = status === 200 ? prometheusType : 'text/plain; charset=utf-8';
  const headers = { 'content-type': type, 'x-content-type-options': 'nosniff', allow: 'GET, HEAD' };
  response.writeHead(status, headers).end(text);
}
