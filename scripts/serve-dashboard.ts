import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import {
  assetCacheControl,
  dashboardHeaders,
  dashboardPolicy,
  pageCacheControl,
} from '../lib/site/dashboard-headers.ts';
import { contentTypes } from './deploy/media-type.ts';

/**
 * Serves the built dashboard on this machine as the cloud does: the same headers, `config.json`
 * that names the API, and the page for every address that is not a file. Answers GET and HEAD only,
 * nothing outside `dir`, and only requests that name this host, so that no foreign name can be
 * pointed at it.
 */
export type DashboardOptions = {
  readonly dir: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly apiUrl: string;
  /** Content security policy; by default the one of the cloud stack for this API. */
  readonly csp?: string;
};

export type ServedDashboard = {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
};

const host = '127.0.0.1';
const hostNames = new Set([host, 'localhost']);

export async function serveDashboard(options: DashboardOptions): Promise<ServedDashboard> {
  const apiUrl = options.apiUrl.replace(/\/+$/, '');
  const headers: Readonly<Record<string, string>> = {
    ...dashboardHeaders,
    'content-security-policy': options.csp ?? dashboardPolicy(new URL(apiUrl).origin),
  };
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    answer(request, response, options.dir, apiUrl).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  const port = await listen(server, options.port);
  return {
    url: `http://${host}:${port}`,
    port,
    close: () => closeServer(server),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  dir: string,
  apiUrl: string,
): Promise<void> {
  const refusal = refusalOf(request);
  if (refusal !== null) {
    response.writeHead(refusal, { 'content-type': 'text/plain' }).end();
    return;
  }
  const path = pathOf(request);
  if (path === '/config.json') {
    const body = JSON.stringify({ api: apiUrl });
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(request.method === 'HEAD' ? undefined : body);
    return;
  }
  const asked = path === null ? null : await fileAt(dir, path);
  // A page address has no dot; a missing file stays missing, or a browser would run the page as a
  // script.
  const file =
    asked ?? (path !== null && extname(path) === '' ? await fileAt(dir, '/index.html') : null);
  if (file === null) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
    return;
  }
  const lasting = path?.startsWith('/assets/') === true;
  response.writeHead(200, {
    'content-type': contentTypes[extname(file.path)] ?? 'application/octet-stream',
    'content-length': file.bytes,
    'cache-control': lasting ? assetCacheControl : pageCacheControl,
  });
  if (request.method === 'HEAD') response.end();
  else
    createReadStream(file.path)
      .on('error', () => response.destroy())
      .pipe(response);
}

function refusalOf(request: IncomingMessage): number | null {
  if (request.method !== 'GET' && request.method !== 'HEAD') return 405;
  const name = (request.headers.host ?? '').replace(/:\d+$/, '');
  return hostNames.has(name) ? null : 421;
}

function pathOf(request: IncomingMessage): string | null {
  try {
    return decodeURIComponent((request.url ?? '/').split(/[?#]/)[0]!);
  } catch {
    return null;
  }
}

async function fileAt(dir: string, path: string): Promise<{ path: string; bytes: number } | null> {
  if (path.includes('\0')) return null;
  const root = normalize(dir + sep);
  const full = normalize(join(root, path));
  if (!full.startsWith(root)) return null;
  try {
    const found = await stat(full);
    return found.isFile() ? { path: full, bytes: found.size } : null;
  } catch {
    return null;
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
