/** One line per request in the stage's own format, written to the file of its log group. */
import { createWriteStream, renameSync, statSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { logFileBytesMax } from '../../limits.ts';
import { type ApiRequest, commonLogTime } from './event.ts';

export type AccessFacts = {
  readonly request: ApiRequest;
  readonly routeKey: string;
  readonly status: number;
  readonly responseBytes: number;
  readonly integrationMs: number | undefined;
  readonly authorizer: Record<string, unknown> | undefined;
  readonly error: string | undefined;
};

export type AccessLog = {
  write(facts: AccessFacts): void;
  close(): Promise<void>;
};

export function accessLog(logDir: string, logGroup: string, format: string): AccessLog {
  const path = accessLogPath(logDir, logGroup);
  const render = compile(format);
  let bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  let stream: WriteStream = createWriteStream(path, { flags: 'a' });
  return {
    write: (facts) => {
      const line = `${render(facts)}\n`;
      bytes += line.length;
      if (bytes > logFileBytesMax) {
        stream.end();
        renameSync(path, `${path}.1`);
        stream = createWriteStream(path, { flags: 'a' });
        bytes = line.length;
      }
      stream.write(line);
    },
    close: () => new Promise((resolve) => stream.end(resolve)),
  };
}

export const accessLogPath = (logDir: string, logGroup: string): string =>
  join(logDir, `${logGroup.replaceAll('/', '_').replace(/^_/, '')}.log`);

type Value = (facts: AccessFacts) => unknown;

/**
 * The format with each variable as a function, so that a request computes what the format names and
 * nothing else.
 */
function compile(format: string): (facts: AccessFacts) => string {
  const parts = format
    .split(/(\$context\.[A-Za-z0-9_.]+)/)
    .map((part) =>
      part.startsWith('$context.') ? variable(part.slice('$context.'.length)) : part,
    );
  return (facts) =>
    parts.map((part) => (typeof part === 'string' ? part : shown(part(facts)))).join('');
}

/** A variable without a value is a dash, as API Gateway writes it. */
function shown(value: unknown): string {
  return value === undefined || value === null ? '-' : String(value);
}

function variable(name: string): Value {
  const known = values[name];
  if (known !== undefined) return known;
  const key = /^authorizer\.(.+)$/.exec(name)?.[1];
  return key === undefined ? () => undefined : (facts) => facts.authorizer?.[key];
}

const values: Readonly<Record<string, Value>> = {
  requestId: ({ request }) => request.id,
  extendedRequestId: ({ request }) => request.id,
  apiId: ({ request }) => request.apiId,
  routeKey: (facts) => facts.routeKey,
  stage: () => '$default',
  status: (facts) => facts.status,
  protocol: ({ request }) => request.protocol,
  httpMethod: ({ request }) => request.method,
  path: ({ request }) => request.path,
  domainName: ({ request }) => request.headers.host,
  responseLength: (facts) => facts.responseBytes,
  responseLatency: ({ request }) => Date.now() - request.receivedAtMs,
  integrationLatency: (facts) => facts.integrationMs,
  integrationErrorMessage: (facts) => facts.error,
  requestTime: ({ request }) => commonLogTime(new Date(request.receivedAtMs)),
  requestTimeEpoch: ({ request }) => request.receivedAtMs,
  'identity.sourceIp': ({ request }) => request.sourceIp,
  'identity.userAgent': ({ request }) => request.headers['user-agent'],
  'error.message': (facts) => facts.error,
  'integration.latency': (facts) => facts.integrationMs,
  'integration.error': (facts) => facts.error,
  'integration.status': (facts) => (facts.integrationMs === undefined ? undefined : 200),
};
