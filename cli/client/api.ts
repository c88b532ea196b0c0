import { gzipSync } from 'node:zlib';
import { type Query, queryText, repeat } from '../../clients/typescript/repeat.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import {
  answerBytesMax,
  packedBytesMin,
  requestAttemptsMax,
  requestMsMax,
  retryAfterMsMax,
} from '../limits.ts';
import type { Terminal } from '../terminal.ts';
import { readBounded } from './bounded-body.ts';
import { openStream } from './open-stream.ts';
import { failureOfProblem, readProblem } from './problem.ts';

/**
 * The HTTP API over `fetch`. Every request ends: it has a timeout, and a bounded number of
 * repetitions when the API says "later" (429, 503) or the connection broke on a request that is
 * safe to repeat. Whatever is not a success is a `Failure`.
 */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type { Query } from '../../clients/typescript/repeat.ts';

export type Ask = {
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the request early. */
  readonly signal?: AbortSignal | undefined;
  /** `body` is text and sent as it is, with this type. */
  readonly contentType?: string;
  /** A body that may be large goes packed when it is. */
  readonly packed?: true;
};

export type Answer<T> = {
  readonly status: number;
  readonly body: T;
  readonly etag: string | null;
};

export type Api = {
  readonly url: string;
  ask<T>(method: Method, path: string, ask?: Ask): Promise<Answer<T>>;
  get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T>;
  /** What is no JSON, as it was sent. */
  bytes(path: string, query?: Query): Promise<Buffer>;
  /** An answer that goes on, from behind `lastId`; `null` where there is none. */
  stream(
    path: string,
    query: Query,
    lastId: string,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array> | null>;
  /** The same with what its headers say. */
  raw(path: string, query: Query): Promise<RawBytes>;
};

export type RawBytes = {
  readonly bytes: Buffer;
  header(name: string): string | null;
};

export type Access = {
  readonly url: string;
  readonly token: string | null;
  /** Another token for one that the API no longer accepts, where whoever signed in may have it. */
  readonly renew?: (refused: string) => Promise<string>;
};

export function openApi(access: Access, terminal: Terminal): Api {
  const url = access.url.replace(/\/+$/, '');
  const sender: Sender = { access, url, terminal };
  const api: Api = {
    url,
    ask: async <T>(method: Method, path: string, ask: Ask = {}) => {
      const { status, headers, bytes } = await send(sender, method, path, ask);
      const body = parseAnswer(bytes.toString('utf8'), url) as T;
      return { status, body, etag: headers.get('etag') };
    },
    get: async <T>(path: string, query: Query = {}, signal?: AbortSignal) =>
      (await api.ask<T>('GET', path, { query, signal })).body,
    stream: (path, query, lastId, signal) =>
      openStream(url + path + queryText(query), sender.access.token, lastId, signal),
    bytes: async (path, query = {}) => (await send(sender, 'GET', path, { query })).bytes,
    raw: async (path, query) => {
      const { bytes, headers } = await send(sender, 'GET', path, { query });
      return { bytes, header: (name) => headers.get(name) };
    },
  };
  return api;
}

/** `access` changes when its token is renewed. */
type Sender = { access: Access; readonly url: string; readonly terminal: Terminal };
type RawAnswer = { readonly status: number; readonly headers: Headers; readonly bytes: Buffer };

async function send(sender: Sender, method: Method, path: string, ask: Ask): Promise<RawAnswer> {
  const asked = `${method} ${path}`;
  const isRepeatable = method !== 'POST' || ask.headers?.['idempotency-key'] !== undefined;
  let isRenewed = false;
  const once = async (): Promise<RawAnswer> => {
    const { access } = sender;
    const answer = await sendOnce(sender, method, path, ask);
    if (answer.status !== 401 || isRenewed) return answer;
    // Nothing was done, so this may be repeated whatever it is.
    isRenewed = await renewToken(sender, access);
    return isRenewed ? sendOnce(sender, method, path, ask) : answer;
  };
  const answer = await repeat(once, isRepeatable, {
    attemptsMax: requestAttemptsMax,
    retryAfterMsMax,
    sleep: (ms) => pause(sender, ms),
    random: () => sender.terminal.random(),
    isFinal: (error) => !(error instanceof Broken),
  }).catch((error) => {
    throw error instanceof Broken ? error.failure : error;
  });
  if (answer.status < 400) return answer;
  const problem = readProblem(answer.status, tryParse(answer.bytes.toString('utf8')));
  throw failureOfProblem(problem, asked, sender.access.token !== null);
}

async function renewToken(sender: Sender, { token, renew }: Access): Promise<boolean> {
  if (token === null || renew === undefined) return false;
  sender.access = { ...sender.access, token: await renew(token) };
  return true;
}

async function pause(sender: Sender, ms: number): Promise<void> {
  await sender.terminal.sleep(ms);
  if (sender.terminal.interrupted.aborted) throw new Failure(exitCode.interrupted, 'Interrupted.');
}

/** The connection broke; another try may help. */
class Broken extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

async function sendOnce(
  sender: Sender,
  method: Method,
  path: string,
  ask: Ask,
): Promise<RawAnswer> {
  const headers: Record<string, string> = { accept: 'application/json', ...ask.headers };
  if (sender.access.token !== null) headers.authorization = `Bearer ${sender.access.token}`;
  let body: string | Uint8Array<ArrayBuffer> | undefined;
  if (ask.contentType !== undefined) body = String(ask.body);
  else if (ask.body !== undefined) body = JSON.stringify(ask.body);
  if (body !== undefined) headers['content-type'] = ask.contentType ?? 'application/json';
  if (ask.packed && typeof body === 'string' && body.length > packedBytesMin) {
    body = new Uint8Array(gzipSync(body));
    headers['content-type'] = 'application/gzip';
  }
  try {
    const response = await fetch(sender.url + path + queryText(ask.query ?? {}), {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.any([
        ...[AbortSignal.timeout(requestMsMax), sender.terminal.interrupted],
        ...(ask.signal === undefined ? [] : [ask.signal]),
      ]),
    });
    return {
      status: response.status,
      headers: response.headers,
      bytes: await readBounded(response, answerBytesMax),
    };
  } catch (error) {
    if (ask.signal?.aborted) throw new Failure(exitCode.interrupted, 'Interrupted.');
    throw broken(sender, error);
  }
}

/** Why there was no answer, in words; `Broken` when another try may help. */
function broken(sender: Sender, error: unknown): Failure | Broken {
  if (error instanceof Failure) return error;
  if (sender.terminal.interrupted.aborted) return new Failure(exitCode.interrupted, 'Interrupted.');
  const { url } = sender;
  const fail = (sentence: string, remedy: string): Failure =>
    new Failure(exitCode.failure, sentence, remedy);
  if (error instanceof Error && error.name === 'TimeoutError') {
    return fail(
      `${url} did not answer within ${requestMsMax / 1_000} s.`,
      'Is it healthy? See: edgewise doctor',
    );
  }
  const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : null;
  const code = cause?.code ?? '';
  if (code === 'ECONNREFUSED') {
    return fail(
      `Nothing listens at ${url}.`,
      'Start the local cloud with "npm start", or give --api URL.',
    );
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return fail(`The host of ${url} is not known.`, 'Check --api, EDGEWISE_API or the context.');
  }
  const detail = code || (cause?.message ?? String(error));
  return new Broken(fail(`The connection to ${url} broke (${detail}).`, 'See: edgewise doctor'));
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseAnswer(text: string, url: string): unknown {
  if (text === '') return null;
  const value = tryParse(text);
  if (value === undefined) {
    throw new Failure(
      exitCode.failure,
      `${url} does not answer like an Edgewise API: the body is not JSON.`,
      'Check the address in --api, EDGEWISE_API or the context.',
    );
  }
  return value;
}
