/**
 * The event that a function gets from an HTTP API, payload format 2.0
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html).
 */
import type { IncomingMessage } from 'node:http';
import { accountId } from '../../account.ts';
import type { RouteMatch } from './route-table.ts';

export type ApiRequest = {
  readonly id: string;
  readonly apiId: string;
  readonly receivedAtMs: number;
  readonly method: string;
  /** Decoded, as HTTP APIs give it. */
  readonly path: string;
  readonly rawQuery: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  readonly stageVariables: Readonly<Record<string, string>>;
  readonly sourceIp: string;
  readonly protocol: string;
};

export function apiRequest(
  message: IncomingMessage,
  api: { id: string; stageVariables: Readonly<Record<string, string>> },
  id: string,
): ApiRequest {
  const sourceIp = (message.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
  const url = message.url ?? '/';
  const mark = url.indexOf('?');
  const rawPath = mark < 0 ? url : url.slice(0, mark);
  const rawQuery = mark < 0 ? '' : url.slice(mark + 1);
  return {
    id,
    apiId: api.id,
    stageVariables: api.stageVariables,
    receivedAtMs: Date.now(),
    method: message.method ?? 'GET',
    path: decoded(rawPath),
    rawQuery,
    headers: { ...headersOf(message), ...forwardingHeaders(message, sourceIp, id) },
    cookies: (message.headers.cookie ?? '')
      .split(';')
      .map((cookie) => cookie.trim())
      .filter((cookie) => cookie !== ''),
    query: queryOf(rawQuery),
    sourceIp,
    protocol: `HTTP/${message.httpVersion}`,
  };
}

export function requestContext(request: ApiRequest, routeKey: string): Record<string, unknown> {
  const time = new Date(request.receivedAtMs);
  return {
    accountId,
    apiId: request.apiId,
    domainName: request.headers.host ?? '',
    domainPrefix: request.apiId,
    http: {
      method: request.method,
      path: request.path,
      protocol: request.protocol,
      sourceIp: request.sourceIp,
      userAgent: request.headers['user-agent'] ?? '',
    },
    requestId: request.id,
    routeKey,
    stage: '$default',
    time: commonLogTime(time),
    timeEpoch: request.receivedAtMs,
  };
}

export function proxyEvent(
  request: ApiRequest,
  match: RouteMatch,
  authorizer: Record<string, unknown> | undefined,
  body: Buffer,
): Record<string, unknown> {
  const isText = isTextType(request.headers['content-type']);
  const context = requestContext(request, match.route.key);
  return {
    ...eventHead(request, match),
    requestContext: authorizer === undefined ? context : { ...context, authorizer },
    ...(body.length === 0 ? {} : { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/** What an authorizer gets: the request without its body. */
export function authorizerEvent(
  request: ApiRequest,
  match: RouteMatch,
  identitySource: readonly string[],
  routeArn: string,
): Record<string, unknown> {
  return {
    ...eventHead(request, match),
    type: 'REQUEST',
    routeArn,
    identitySource,
    requestContext: requestContext(request, match.route.key),
  };
}

function eventHead(request: ApiRequest, match: RouteMatch): Record<string, unknown> {
  const { cookies, query, stageVariables } = request;
  // "All cookie headers in the request are combined … and added to the cookies field."
  const { cookie: _moved, ...headers } = request.headers;
  return {
    version: '2.0',
    routeKey: match.route.key,
    rawPath: request.path,
    rawQueryString: request.rawQuery,
    ...(cookies.length === 0 ? {} : { cookies }),
    headers,
    ...(Object.keys(query).length === 0 ? {} : { queryStringParameters: query }),
    ...(Object.keys(match.pathParameters).length === 0
      ? {}
      : { pathParameters: match.pathParameters }),
    ...(Object.keys(stageVariables).length === 0 ? {} : { stageVariables }),
  };
}

/** What API Gateway adds. */
function forwardingHeaders(
  message: IncomingMessage,
  sourceIp: string,
  id: string,
): Record<string, string> {
  const before = message.headersDistinct['x-forwarded-for'] ?? [];
  const time = Math.floor(Date.now() / 1000).toString(16);
  const trace = `Root=1-${time}-${id.replaceAll('-', '').slice(0, 24)}`;
  return {
    'x-forwarded-for': [...before, sourceIp].join(', '),
    'x-forwarded-port': String(message.socket.localPort ?? ''),
    'x-forwarded-proto': 'http',
    'x-amzn-trace-id': message.headersDistinct['x-amzn-trace-id']?.[0] ?? trace,
  };
}

/** Repeated headers are joined with commas. */
function headersOf(message: IncomingMessage): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    result[name] = (values ?? []).join(',');
  }
  return result;
}

function queryOf(rawQuery: string): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(rawQuery)) {
    const before = result[name];
    result[name] = before === undefined ? value : `${before},${value}`;
  }
  return result;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Types whose body arrives as text; every other body is base64. */
function isTextType(contentType: string | undefined): boolean {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type.startsWith('text/')) return true;
  return /^application\/(json|javascript|xml|graphql|.+\+json|.+\+xml)$/.test(type);
}

/** `12/Mar/2020:19:03:58 +0000`. */
export function commonLogTime(time: Date): string {
  const [, day, month, year] = time.toUTCString().split(' ');
  return `${day}/${month}/${year}:${time.toISOString().slice(11, 19)} +0000`;
}
