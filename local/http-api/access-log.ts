/** One line per request in the stage's own format, written to the file of its log group. */
import { createWriteStream, renameSync, statSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { logFileBytesMax } from '../limits.ts';
import { type ApiRequest, commonLogTime } from './event.ts';

export interface AccessFacts {
  readonly request: ApiRequest;
  readonly routeKey: string;
  readonly status: number;
  readonly responseBytes: number;
  readonly integrationMs: number | undefined;
  readonly authorizer: Record<string, unknown> | undefined;
  readonly error: string | undefined;
}

export interface AccessLog {
  write(facts: AccessFacts): void;
  close(): Promise<void>;
}

export function accessLog(logDir: string, logGroup: string, format: string): AccessLog {
  const path = join(logDir, `${logGroup.replaceAll('/', '_').replace(/^_/, '')}.log`);
  let bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  let stream: WriteStream = createWriteStream(path, { flags: 'a' });
  return {
    write: (facts) => {
      const line = `${render(format, facts)}\n`;
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

function render(format: string, facts: AccessFacts): string {
  return format.replace(/\$context\.([A-Za-z0-9_.]+)/g, (_match, name: string) =>
    variableOf(name, facts),
  );
}

/** A variable without a value is a dash, as API Gateway writes it. */
function variableOf(name: string, facts: AccessFacts): string {
  const { request } = facts;
  const latencyMs = Date.now() - request.receivedAtMs;
  const values: Record<string, unknown> = {
    requestId: request.id,
    extendedRequestId: request.id,
    apiId: request.apiId,
    routeKey: facts.routeKey,
    stage: '$default',
    status: facts.status,
    protocol: request.protocol,
    httpMethod: request.method,
    path: request.path,
    domainName: request.headers.host,
    responseLength: facts.responseBytes,
    responseLatency: latencyMs,
    integrationLatency: facts.integrationMs,
    integrationErrorMessage: facts.error,
    requestTime: commonLogTime(new Date(request.receivedAtMs)),
    requestTimeEpoch: request.receivedAtMs,
    'identity.sourceIp': request.sourceIp,
    'identity.userAgent': request.headers['user-agent'],
    'error.message': facts.error,
    'integration.latency': facts.integrationMs,
    'integration.error': facts.error,
    'integration.status': facts.integrationMs === undefined ? undefined : 200,
    ...Object.fromEntries(
      Object.entries(facts.authorizer ?? {}).map(([key, value]) => [`authorizer.${key}`, value]),
    ),
  };
  const value = values[name];
  return value === undefined || value === null ? '-' : String(value);
}
