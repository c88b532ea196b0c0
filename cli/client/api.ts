import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import {
  answerBytesMax,
  requestAttemptsMax,
  requestMsMax,
  retryAfterMsMax,
  retryFirstMs,
} from '../limits.ts';
import type { Terminal } from '../terminal.ts';
import { failureOfProblem, readProblem } from './problem.ts';

/**
 * The HTTP API over `fetch`. Every request ends: it has a timeout, and a bounded number of
 * repetitions when the API says "later" (429, 503) or the connection broke on a request that is
 * safe to repeat. Whatever is not a success is a `Failure`.
 */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

export type Ask = {
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** `body` is text and sent as it is, with this type. */
  readonly contentType?: string;
};

export type Answer<T> = {
  readonly status: number;
  readonly body: T;
  readonly etag: string | null;
};

export type Api = {
  readonly url: string;
  ask<T>(method: Method, path: string, ask?: Ask): Promise<Answer<T>>;
  get<T>(path: string, query?: Query): Promise<T>;
  text(path: string, query?: Query): Promise<string>;
};

export type Access = { readonly url: string; readonly token: string | null };

export function openApi(access: Access, terminal: Terminal): Api {
  const url = access.url.replace(/\/+$/, '');
  const api: Api = {
    url,
    ask: async <T>(method: Method, path: string, ask: Ask = {}) => {
      const answer = await send({ access, url, terminal }, method, path, ask);
      return { ...answer, body: parseAnswer(answer.text, url) as T };
    },
    get: async <T>(path: string, query: Query = {}) =>
      (await api.ask<T>('GET', path, { query })).body,
    text: async (path, query = {}) =>
      (await send({ access, url, terminal }, 'GET', path, { query })).text,
  };
  return api;
}

type Sender = { access: Access; url: string; terminal: Terminal };
type RawAnswer = { status: number; text: string; etag: string | null };

async function send(sender: Sender, method: Method, path: string, ask: Ask): Promise<RawAnswer> {
  const asked = `${method} ${path}`;
  const repeatable = method !== 'POST' || ask.headers?.['idempotency-key'] !== undefined;
  for (let attempt = 1; ; attempt++) {
    const outcome = await sendOnce(sender, method, path, ask);
    const backoffMs = retryFirstMs * 2 ** (attempt - 1) * (0.5 + sender.terminal.random());
    if (outcome.kind === 'broken') {
      if (!repeatable || attempt >= requestAttemptsMax || outcome.final) throw outcome.failure;
      await pause(sender, backoffMs);
      continue;
    }
    if (outcome.status < 400) return outcome;
    const later = outcome.status === 429 || outcome.status === 503;
    const retryMs = Math.max(backoffMs, (outcome.retryAfterSeconds ?? 0) * 1_000);
    if (!later || attempt >= requestAttemptsMax || retryMs > retryAfterMsMax) {
      const problem = readProblem(outcome.status, tryParse(outcome.text));
      throw failureOfProblem(problem, asked, sender.access.token !== null);
    }
    await pause(sender, retryMs);
  }
}

async function pause(sender: Sender, ms: number): Promise<void> {
  await sender.terminal.sleep(ms);
  if (sender.terminal.interrupted.aborted) throw new Failure(exitCode.failure, 'Interrupted.');
}

type Outcome =
  | (RawAnswer & { kind: 'answer'; retryAfterSeconds: number | null })
  | { kind: 'broken'; failure: Failure; final: boolean };

async function sendOnce(sender: Sender, method: Method, path: string, ask: Ask): Promise<Outcome> {
  const headers: Record<string, string> = { accept: 'application/json', ...ask.headers };
  if (sender.access.token !== null) headers.authorization = `Bearer ${sender.access.token}`;
  let body: string | undefined;
  if (ask.contentType !== undefined) body = String(ask.body);
  else if (ask.body !== undefined) body = JSON.stringify(ask.body);
  if (body !== undefined) headers['content-type'] = ask.contentType ?? 'application/json';
  try {
    const response = await fetch(sender.url + path + queryText(ask.query ?? {}), {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.any([AbortSignal.timeout(requestMsMax), sender.terminal.interrupted]),
    });
    return {
      kind: 'answer',
      status: response.status,
      text: await readBounded(response),
      etag: response.headers.get('etag'),
      retryAfterSeconds: readRetryAfter(response.headers.get('retry-after')),
    };
  } catch (error) {
    return broken(sender, error);
  }
}

/** Why there was no answer, in words; `final` when another try cannot help. */
function broken(sender: Sender, error: unknown): Outcome {
  if (error instanceof Failure) return { kind: 'broken', failure: error, final: true };
  if (sender.terminal.interrupted.aborted) {
    return { kind: 'broken', failure: new Failure(exitCode.failure, 'Interrupted.'), final: true };
  }
  const { url } = sender;
  const fail = (sentence: string, remedy: string, final: boolean): Outcome => ({
    kind: 'broken',
    failure: new Failure(exitCode.failure, sentence, remedy),
    final,
  });
  if (error instanceof Error && error.name === 'TimeoutError') {
    return fail(
      `${url} did not answer within ${requestMsMax / 1_000} s.`,
      'Is it healthy? See: edgewise doctor',
      true,
    );
  }
  const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : null;
  const code = cause?.code ?? '';
  if (code === 'ECONNREFUSED') {
    return fail(
      `Nothing listens at ${url}.`,
      'Start the local cloud with "npm start", or give --api URL.',
      true,
    );
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return fail(
      `The host of ${url} is not known.`,
      'Check --api, EDGEWISE_API or the context.',
      true,
    );
  }
  const detail = code || (cause?.message ?? String(error));
  return fail(`The connection to ${url} broke (${detail}).`, 'See: edgewise doctor', false);
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax) {
      throw new Failure(exitCode.failure, `The answer is larger than ${answerBytesMax} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readRetryAfter(header: string | null): number | null {
  return header !== null && /^\d+$/.test(header) ? Number(header) : null;
}

export function queryText(query: Query): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) search.append(key, String(one));
    }
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
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
