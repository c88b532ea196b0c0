/**
 * Serves one distribution: behavior by path, viewer function, then the bucket or the server behind,
 * then the headers of its policy. The bucket's own policy decides whether the distribution may read
 * it.
 */

import type { ServerResponse } from 'node:http';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { forThisMachine, type HostCheck } from '../../engine/host-check.ts';
import type { RoleBook } from '../iam/roles.ts';
import { matchesPattern } from '../iam/wildcard.ts';
import type { QueuesAndBuckets } from '../queues-and-buckets.ts';
import type { Behavior, DistributionDefinition, Origin, ViewerAnswer } from './definition.ts';

export type SiteOptions = {
  definition: DistributionDefinition;
  roles: RoleBook;
  buckets: QueuesAndBuckets;
  isKnownHost: HostCheck;
};

export function siteServer(options: SiteOptions): Server {
  const listener = forThisMachine(options.isKnownHost, (message, res) => {
    serve(options, message, res).catch(() => {
      if (res.headersSent) res.destroy();
      else res.writeHead(502).end('The origin does not answer.\n');
    });
  });
  return createServer(listener);
}

async function serve(
  options: SiteOptions,
  message: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { definition } = options;
  const url = new URL(message.url ?? '/', 'http://site');
  const behavior = definition.behaviors.find((item) => matchesPath(item, url.pathname));
  const origin = definition.origins.get(behavior?.originId ?? '');
  if (behavior === undefined || origin === undefined) {
    res.writeHead(403).end();
    return;
  }
  if (!behavior.methods.includes(message.method ?? '')) {
    res.writeHead(403).end('This distribution is not configured to allow this method.\n');
    return;
  }
  let path = url.pathname;
  const viewed = behavior.viewerRequest?.(viewerRequest(message, url));
  if (viewed !== undefined && 'statusCode' in viewed) return answer(res, behavior, viewed);
  if (viewed !== undefined) path = viewed.uri;
  if (path === '/' && definition.rootObject !== undefined) path = `/${definition.rootObject}`;
  if (origin.kind === 'server') return forward(origin.url + origin.path, message, res, behavior);
  return sendObject(options, origin, path, message, res, behavior);
}

/** `/assets/*` and `assets/*` are the same pattern. */
function matchesPath(behavior: Behavior, path: string): boolean {
  const pattern = behavior.pathPattern;
  return pattern === '*' || matchesPattern(pattern.replace(/^\/?/, '/'), path);
}

function viewerRequest(message: IncomingMessage, url: URL) {
  const headers: Record<string, { value: string }> = {};
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    headers[name] = { value: (values ?? []).join(',') };
  }
  const querystring: Record<string, { value: string }> = {};
  for (const [name, value] of url.searchParams) querystring[name] = { value };
  return { method: message.method ?? 'GET', uri: url.pathname, querystring, headers, cookies: {} };
}

function answer(res: ServerResponse, behavior: Behavior, own: ViewerAnswer): void {
  const headers: Record<string, string> = { ...behavior.headers };
  for (const [name, { value }] of Object.entries(own.headers ?? {})) {
    headers[name.toLowerCase()] = value;
  }
  res.writeHead(own.statusCode, headers);
  res.end(typeof own.body === 'string' ? own.body : own.body?.data);
}

function forward(
  originUrl: string,
  message: IncomingMessage,
  res: ServerResponse,
  behavior: Behavior,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      `${originUrl}${message.url ?? '/'}`,
      { method: message.method ?? 'GET', headers: message.headers },
      (received) => {
        res.writeHead(received.statusCode ?? 502, { ...received.headers, ...behavior.headers });
        received.pipe(res);
        received.on('end', resolve);
        received.on('error', reject);
      },
    );
    sent.on('error', reject);
    res.on('close', () => sent.destroy());
    message.pipe(sent);
  });
}

async function sendObject(
  options: SiteOptions,
  origin: Origin & { kind: 'bucket' },
  path: string,
  message: IncomingMessage,
  res: ServerResponse,
  behavior: Behavior,
): Promise<void> {
  const { definition } = options;
  const found = await readObject(options, origin, path);
  const page = definition.errorPages.get(found?.status ?? 403);
  const shown = page === undefined ? found : await readObject(options, origin, page.path);
  if (shown?.status !== 200) {
    res.writeHead(403, behavior.headers).end('Access denied.\n');
    return;
  }
  res.writeHead(page === undefined ? 200 : page.status, {
    'content-type': contentType(page?.path ?? path, shown.contentType),
    'content-length': shown.body.length,
    ...behavior.headers,
  });
  res.end(message.method === 'HEAD' ? undefined : shown.body);
}

/** A missing object is 403, as for every reader that may not list the bucket. */
async function readObject(
  options: SiteOptions,
  origin: Origin & { kind: 'bucket' },
  path: string,
): Promise<{ status: number; body: Buffer; contentType: string } | undefined> {
  const key = decodeURIComponent(`${origin.path}${path}`.replace(/^\//, ''));
  const resource = `arn:aws:s3:::${origin.bucket}/${key}`;
  const isAllowed = options.roles.serviceMay('cloudfront.amazonaws.com', {
    action: 's3:GetObject',
    resource,
    context: { 'aws:sourcearn': options.definition.arn },
  });
  if (!isAllowed) return undefined;
  const { status, headers, body } = await options.buckets.handle({
    method: 'GET',
    url: `/${origin.bucket}/${key.split('/').map(encodeURIComponent).join('/')}`,
    headers: { host: '127.0.0.1' },
    body: Buffer.alloc(0),
  });
  if (status !== 200) return undefined;
  return { status, body, contentType: String(headers['content-type'] ?? '') };
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
  txt: 'text/plain; charset=utf-8',
};

/** What was stored, unless it was stored without saying what it is. */
function contentType(path: string, stored: string): string {
  if (stored !== '' && !/octet-stream/.test(stored)) return stored;
  return types[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}
