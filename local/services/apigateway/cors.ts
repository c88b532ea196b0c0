/**
 * CORS as HTTP APIs and addresses of functions do it: with settings, they answer preflight requests
 * themselves and replace the CORS headers of functions
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html).
 */
import type { Reader } from '../../assembly/property.ts';
import type { CorsSettings } from './definition.ts';

export function readCors(reader: Reader): CorsSettings {
  reader.only([
    'AllowOrigins',
    'AllowMethods',
    'AllowHeaders',
    'ExposeHeaders',
    'AllowCredentials',
    'MaxAge',
  ]);
  return {
    allowOrigins: reader.texts('AllowOrigins'),
    allowMethods: reader.texts('AllowMethods'),
    allowHeaders: reader.texts('AllowHeaders'),
    exposeHeaders: reader.texts('ExposeHeaders'),
    allowCredentials: reader.optionalFlag('AllowCredentials') ?? false,
    maxAgeSeconds: reader.optionalNumber('MaxAge'),
  };
}

/**
 * "For the OPTIONS method, your request must contain an origin header and an
 * Access-Control-Request-Method header."
 */
export function preflightHeaders(
  cors: CorsSettings,
  origin: string | undefined,
  requestMethod: string | undefined,
): Record<string, string> {
  const headers = requestMethod === undefined ? {} : responseHeaders(cors, origin);
  if (Object.keys(headers).length === 0) return {};
  if (cors.allowMethods.length > 0) {
    headers['access-control-allow-methods'] = cors.allowMethods.join(',');
  }
  if (cors.allowHeaders.length > 0) {
    headers['access-control-allow-headers'] = cors.allowHeaders.join(',');
  }
  if (cors.maxAgeSeconds !== undefined) {
    headers['access-control-max-age'] = String(cors.maxAgeSeconds);
  }
  return headers;
}

/** Empty when the origin is not allowed. */
export function responseHeaders(
  cors: CorsSettings,
  origin: string | undefined,
): Record<string, string> {
  const allowed = allowedOrigin(cors, origin);
  if (allowed === undefined) return {};
  const headers: Record<string, string> = { 'access-control-allow-origin': allowed };
  if (allowed !== '*') headers.vary = 'Origin';
  if (cors.allowCredentials) headers['access-control-allow-credentials'] = 'true';
  if (cors.exposeHeaders.length > 0) {
    headers['access-control-expose-headers'] = cors.exposeHeaders.join(',');
  }
  return headers;
}

function allowedOrigin(cors: CorsSettings, origin: string | undefined): string | undefined {
  if (origin === undefined) return undefined;
  for (const allowed of cors.allowOrigins) {
    if (allowed === '*') return cors.allowCredentials ? origin : '*';
    if (allowed === origin) return origin;
    // `https://*` and `http://*` allow every origin of that scheme.
    if (/^https?:\/\/\*$/.test(allowed) && origin.startsWith(allowed.slice(0, -1))) return origin;
  }
  return undefined;
}
