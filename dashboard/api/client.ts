import { rememberedAnswersMax, requestTimeoutMs } from '../limits.ts';
import { offline, type Problem, problemOf, slow } from './problem.ts';

/**
 * The one door to the API. Adds the token, gives every request an end, and turns every outcome into
 * a value.
 *
 * Reads send the ETag of the last answer, so an unchanged resource costs no body. An answer with
 * the same text as the last one keeps the same object, so a page that compares by identity draws
 * nothing.
 */
export type Answer<T> =
  | { readonly ok: true; readonly value: T; readonly unchanged: boolean }
  | { readonly ok: false; readonly problem: Problem };

export type Client = {
  readonly api: string;
  read<T>(path: string): Promise<Answer<T>>;
  readText(path: string): Promise<Answer<string>>;
  /** An answer that waits for something; it is not kept. */
  wait<T>(path: string, timeoutMs: number, signal: AbortSignal): Promise<Answer<T>>;
  /** An answer that goes on while it is read; `null` when there is none to be had. */
  stream(asked: StreamAsked): Promise<ReadableStream<Uint8Array> | null>;
  send<T>(method: string, path: string, body?: unknown, key?: string): Promise<Answer<T>>;
};

export type StreamAsked = {
  /** A whole address: streams have one of their own. */
  readonly url: string;
  readonly body: unknown;
  readonly lastId: string | null;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

export type ClientDeps = {
  readonly api: string;
  readonly token: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs?: number;
  readonly onSignedOut: (problem: Problem) => void;
};

type Remembered = {
  readonly text: string;
  readonly etag: string | null;
  readonly value: unknown;
};

const notModified = 304;

export function createClient(deps: ClientDeps): Client {
  const remembered = new Map<string, Remembered>();

  async function request(path: string, init: RequestInit): Promise<Response | Problem> {
    const signal = init.signal ?? AbortSignal.timeout(deps.timeoutMs ?? requestTimeoutMs);
    const headers = { ...init.headers, authorization: `Bearer ${deps.token}` };
    try {
      const response = await deps.fetch(deps.api + path, { ...init, headers, signal });
      if (response.ok || response.status === notModified) return response;
      const body: unknown = await response.json().catch(() => null);
      const problem = problemOf(response.status, body, response.headers.get('retry-after'));
      if (problem.kind === 'signed-out') deps.onSignedOut(problem);
      return problem;
    } catch {
      return signal.aborted ? slow : offline;
    }
  }

  async function textOf(path: string, init: RequestInit): Promise<string | Problem> {
    const response = await request(path, init);
    return response instanceof Response ? bodyOf(response) : response;
  }

  function remember(path: string, text: string, etag: string | null): Remembered {
    const entry = { text, etag, value: parse(text) };
    remembered.delete(path);
    remembered.set(path, entry);
    const [oldest] = remembered.keys();
    if (remembered.size > rememberedAnswersMax && oldest !== undefined) remembered.delete(oldest);
    return entry;
  }

  return {
    api: deps.api,
    async read<T>(path: string): Promise<Answer<T>> {
      const before = remembered.get(path);
      const headers: Record<string, string> = {};
      if (before?.etag != null) headers['if-none-match'] = before.etag;
      const response = await request(path, { headers });
      if (!(response instanceof Response)) return { ok: false, problem: response };
      if (before !== undefined && response.status === notModified) {
        return { ok: true, value: before.value as T, unchanged: true };
      }
      const text = await bodyOf(response);
      if (typeof text !== 'string') return { ok: false, problem: text };
      if (before?.text === text) return { ok: true, value: before.value as T, unchanged: true };
      const { value } = remember(path, text, response.headers.get('etag'));
      return { ok: true, value: value as T, unchanged: false };
    },
    async readText(path: string): Promise<Answer<string>> {
      const text = await textOf(path, {});
      return typeof text === 'string'
        ? { ok: true, value: text, unchanged: false }
        : { ok: false, problem: text };
    },
    async wait<T>(path: string, timeoutMs: number, left: AbortSignal) {
      const signal = AbortSignal.any([left, AbortSignal.timeout(timeoutMs)]);
      const text = await textOf(path, { signal });
      if (typeof text !== 'string') return { ok: false, problem: text } as const;
      return { ok: true, value: parse(text) as T, unchanged: false } as const;
    },
    stream: (asked) => openStream(asked, deps),
    async send<T>(method: string, path: string, body?: unknown, key?: string) {
      const headers: Record<string, string> = {};
      if (body !== undefined) headers['content-type'] = 'application/json';
      if (key !== undefined) headers['idempotency-key'] = key;
      const init: RequestInit = { method, headers };
      if (body !== undefined) init.body = JSON.stringify(body);
      const text = await textOf(path, init);
      if (typeof text !== 'string') return { ok: false, problem: text } as const;
      return { ok: true, value: parse(text) as T, unchanged: false } as const;
    },
  };
}

/** A token goes unencrypted to the host that has it already, and to no other. */
async function openStream(asked: StreamAsked, { api, token, fetch }: ClientDeps) {
  const there = new URL(asked.url);
  if (there.protocol !== 'https:' && there.hostname !== new URL(api).hostname) return null;
  const headers: Record<string, string> = {
    accept: 'text/event-stream',
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
  };
  if (asked.lastId !== null) headers['last-event-id'] = asked.lastId;
  const opening = new AbortController();
  const timer = setTimeout(() => opening.abort(), asked.timeoutMs);
  const signal = AbortSignal.any([asked.signal, opening.signal]);
  try {
    const init = { method: 'POST', headers, body: JSON.stringify(asked.body), signal } as const;
    const answer = await fetch(there.href, { ...init, cache: 'no-store', redirect: 'error' });
    const type = answer.headers.get('content-type') ?? '';
    if (answer.status === 200 && type.startsWith('text/event-stream')) return answer.body;
    await answer.body?.cancel();
    return null;
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** The connection may still break while the body is on its way. */
async function bodyOf(response: Response): Promise<string | Problem> {
  try {
    return await response.text();
  } catch {
    return offline;
  }
}

/**
 * An empty or unreadable body is `null`: the status already said that the request was carried out.
 */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
