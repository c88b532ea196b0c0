import { offline, type Problem, problemOf, slow } from './problem.ts';

/**
 * The one door to the API. Adds the token, gives every request an end, and turns every outcome into a value.
 *
 * Reads ask the browser to revalidate (`no-cache`): where the API sends an ETag the browser adds `If-None-Match` by
 * itself and an unchanged answer costs no body. An answer with the same text as the last one keeps the same object,
 * so a page that compares by identity draws nothing.
 */
export type Answer<T> =
  | { readonly ok: true; readonly value: T; readonly unchanged: boolean }
  | { readonly ok: false; readonly problem: Problem };

export type Client = {
  readonly api: string;
  read<T>(path: string): Promise<Answer<T>>;
  readText(path: string): Promise<Answer<string>>;
  send<T>(method: string, path: string, body?: unknown, key?: string): Promise<Answer<T>>;
};

export type ClientDeps = {
  readonly api: string;
  readonly token: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs?: number;
  readonly onSignedOut: (problem: Problem) => void;
};

const requestTimeoutMs = 15_000;
/** Answers kept for comparison; the oldest go first. */
const rememberedMax = 64;

type Remembered = { readonly text: string; readonly value: unknown };

export function createClient(deps: ClientDeps): Client {
  const remembered = new Map<string, Remembered>();

  async function request(path: string, init: RequestInit): Promise<Response | Problem> {
    const signal = AbortSignal.timeout(deps.timeoutMs ?? requestTimeoutMs);
    const headers = { ...init.headers, authorization: `Bearer ${deps.token}` };
    try {
      const response = await deps.fetch(deps.api + path, { ...init, headers, signal });
      if (response.ok) return response;
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
    if (!(response instanceof Response)) return response;
    try {
      return await response.text();
    } catch {
      return offline;
    }
  }

  function remember(path: string, text: string): Remembered {
    const entry = { text, value: parse(text) };
    remembered.delete(path);
    remembered.set(path, entry);
    if (remembered.size > rememberedMax) {
      for (const oldest of remembered.keys()) {
        remembered.delete(oldest);
        break;
      }
    }
    return entry;
  }

  return {
    api: deps.api,
    async read<T>(path: string): Promise<Answer<T>> {
      const text = await textOf(path, { cache: 'no-cache' });
      if (typeof text !== 'string') return { ok: false, problem: text };
      const before = remembered.get(path);
      if (before?.text === text) return { ok: true, value: before.value as T, unchanged: true };
      return { ok: true, value: remember(path, text).value as T, unchanged: false };
    },
    async readText(path: string): Promise<Answer<string>> {
      const text = await textOf(path, { cache: 'no-cache' });
      return typeof text === 'string'
        ? { ok: true, value: text, unchanged: false }
        : { ok: false, problem: text };
    },
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

/** An empty or unreadable body is `null`: the status already said that the request was carried out. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
