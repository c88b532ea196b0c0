import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import {
  awsAttemptsMax,
  awsNoAnswerMsMax,
  awsRetryMs,
  awsRetryMsMax,
  awsSocketsMax,
} from '../../core/model/limits.ts';
import type { ClientConfig } from './client-config.ts';
import type { Endpoint } from './endpoint.ts';
import { environmentCredentials } from './environment-credentials.ts';
import { type AnswerMetadata, ServiceException, serviceExceptionOf } from './service-exception.ts';
import { createSigner, queryOf } from './signature.ts';

/**
 * The one way of hot functions to a service of AWS: signed requests over connections that are kept.
 * The clients made of it stand in for those of the SDK, whose generality costs four times the CPU
 * of a call, 40 ms of each start and most of a bundle.
 *
 * Failures of the service or of the way there and throttling are tried again with a growing, random
 * pause, a bounded number of times; every other refusal is thrown at once as a `ServiceException`
 * under the service's own name for it.
 */
export type SignedRequest = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
};

/** A good answer. */
export type SignedAnswer = { readonly body: string; readonly $metadata: AnswerMetadata };

export type SignedClient = {
  send(request: SignedRequest): Promise<SignedAnswer>;
  /** Closes the connections; they open again when there is something to send. */
  close(): void;
};

export function createSignedClient(endpoint: Endpoint, config: ClientConfig = {}): SignedClient {
  const { url } = endpoint;
  const isPlain = url.protocol === 'http:';
  const pool = { keepAlive: true, maxSockets: awsSocketsMax };
  const agent = isPlain ? new HttpAgent(pool) : new HttpsAgent(pool);
  const open = isPlain ? httpRequest : httpsRequest;
  const sign = createSigner(endpoint);
  const { maxAttempts = awsAttemptsMax, requestHandler = {} } = config;
  const { socketTimeout: timeout = awsNoAnswerMsMax } = requestHandler;
  const base = url.pathname.replace(/\/$/, '');

  const attempt = (request: SignedRequest, attempts: number): Promise<SignedAnswer> => {
    const { method, body, query = {} } = request;
    const path = `${base}${request.path}`;
    const given = { ...request.headers, host: url.host };
    const parts = { method, path, query, headers: given, body };
    const signed = sign(parts, config.credentials ?? environmentCredentials(), Date.now());
    const headers = { ...signed, 'content-length': String(Buffer.byteLength(body)) };
    const search = queryOf(query);
    return new Promise((resolve, reject) => {
      const sent = open(
        {
          agent,
          host: url.hostname,
          port: url.port === '' ? null : url.port,
          method,
          path: search === '' ? path : `${path}?${search}`,
          headers,
          timeout,
        },
        (answer) => readAnswer(answer, attempts).then(resolve, reject),
      );
      sent.once('timeout', () => sent.destroy(new NoAnswer(timeout)));
      sent.once('error', reject);
      sent.end(body);
    });
  };

  return {
    async send(request) {
      let last: unknown;
      for (let tries = 1; tries <= maxAttempts; tries++) {
        if (tries > 1) await pause(tries - 1);
        try {
          return await attempt(request, tries);
        } catch (error) {
          if (!isPassing(error)) throw error;
          last = error;
        }
      }
      throw last;
    },
    close: () => agent.destroy(),
  };
}

function pause(tries: number): Promise<void> {
  const ms = Math.random() * Math.min(awsRetryMsMax, awsRetryMs * 2 ** tries);
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function readAnswer(answer: IncomingMessage, attempts: number): Promise<SignedAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const body = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8');
  const { statusCode: httpStatusCode = 0, headers } = answer;
  const $metadata = { httpStatusCode, attempts };
  if (httpStatusCode >= 200 && httpStatusCode < 300) return { body, $metadata };
  const type = headers['x-amzn-errortype'];
  throw serviceExceptionOf(typeof type === 'string' ? type : undefined, body, $metadata);
}

/** The service did not answer in time. */
class NoAnswer extends Error {
  override readonly name = 'TimeoutError';

  constructor(noAnswerMs: number) {
    super(`the service did not answer for ${noAnswerMs} ms`);
  }
}

/** Services spell being busy in many ways: `ThrottlingException`, `RequestThrottled`, … */
const busy =
  /^(Request)?LimitExceeded|ThroughputExceeded|Throttl|Timeout|TooManyRequests|SlowDown|InProgress/;

const passingCodes = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
]);

function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (busy.test(error.name)) return true;
  if (error instanceof ServiceException) return error.$fault === 'server';
  return passingCodes.has((error as { code?: string }).code ?? '');
}
