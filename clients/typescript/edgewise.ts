import type {
  Chunk,
  Edge,
  FleetEvents,
  Job,
  JobBody,
  ResultFile,
  Routes,
} from './api.generated.ts';
import {
  attemptsMax,
  filePartBytes,
  filesPerRequestMax,
  liveSecondsMax,
  lookSecondsMax,
  outputMsMax,
  pageLimitMax,
  partRoundsMax,
  pollMsMax,
  putMsMax,
  requestMsMax,
  retryAfterMsMax,
} from './limits.ts';
import { Refusal, refusalOf } from './refusal.ts';
import { type Query, queryText, repeat } from './repeat.ts';
import { restBetweenLooks } from './rest.ts';
import { wholeOutput } from './whole-output.ts';

/**
 * The HTTP API for programs, in Node 20 and in browsers, without dependencies. Every request ends;
 * what can be repeated without harm is, a bounded number of times; what is refused is a `Refusal`.
 * Files are in memory while they are sent or fetched: for large ones there is the command line.
 */
export type * from './api.generated.ts';
export { Refusal } from './refusal.ts';

export type Settings = {
  readonly url: string;
  readonly token: string;
  readonly fetch?: typeof fetch;
  /** Ends whatever is under way. */
  readonly signal?: AbortSignal;
};

type Route = keyof Routes;
type Optional<T> = object extends T ? { readonly [K in keyof T]?: T[K] } : T;

/** What a route is asked with: `path` and `body` where it has them. */
export type Asked<R extends Route> = (keyof Routes[R]['path'] extends never
  ? { readonly path?: undefined }
  : { readonly path: Routes[R]['path'] }) &
  (undefined extends Routes[R]['body']
    ? { readonly body?: Routes[R]['body'] }
    : { readonly body: Routes[R]['body'] }) & {
    readonly query?: Optional<Routes[R]['query']>;
    readonly headers?: Readonly<Record<string, string>>;
  };

type Argument<R extends Route> = object extends Asked<R> ? [asked?: Asked<R>] : [asked: Asked<R>];

/** Routes whose answers are pages. */
export type Listed = {
  [R in Route]: Routes[R]['answer'] extends { items: readonly unknown[]; nextCursor: string | null }
    ? R
    : never;
}[Route];
type Item<R extends Listed> = Routes[R]['answer'] extends { items: readonly (infer I)[] }
  ? I
  : never;

export type WaitOptions = {
  readonly timeoutMs?: number;
  readonly onChange?: (job: Job) => void;
};

export type PulledFile = ResultFile & {
  /** The file, compared with its digest. */
  read(): Promise<Uint8Array<ArrayBuffer>>;
};

/** A file of a tree, below the path that the input has. */
export type TreeFile = {
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly executable?: boolean;
};

/** How a job may end. */
const endStates: ReadonlySet<string> = new Set(['done', 'failed', 'cancelled']);

export class Edgewise {
  readonly #settings: Settings;
  readonly #url: string;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#url = settings.url.replace(/\/+$/, '');
  }

  /** Any route, by its method and path. */
  async request<R extends Route>(route: R, ...[asked]: Argument<R>): Promise<Routes[R]['answer']> {
    const { bytes, headers } = await this.#send(route, asked ?? {});
    const text = new TextDecoder().decode(bytes);
    const isJson = headers.get('content-type')?.includes('json') === true;
    return (text === '' ? null : isJson ? JSON.parse(text) : text) as Routes[R]['answer'];
  }

  /** Every item of a list, page by page as they are wanted. */
  async *items<R extends Listed>(route: R, ...[asked]: Argument<R>): AsyncGenerator<Item<R>> {
    const given = (asked ?? {}) as Asked<Route>;
    for (let cursor: string | undefined; ; ) {
      const query = { limit: pageLimitMax, ...given.query, cursor };
      const page = (await this.request(route, ...([{ ...given, query }] as never))) as {
        readonly items: readonly Item<R>[];
        readonly nextCursor: string | null;
      };
      yield* page.items;
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  }

  /** With an idempotency key, so that a repetition is still one job. */
  submit(body: JobBody, key: string = crypto.randomUUID()): Promise<Job> {
    return this.request('POST /v1/jobs', { body, headers: { 'idempotency-key': key } });
  }

  /** The job once it has ended, however it did. */
  async wait(id: string, { timeoutMs, onChange }: WaitOptions = {}): Promise<Job> {
    const endMs = timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
    let last = '';
    const rest = restBetweenLooks({
      nowMs: Date.now,
      sleep: (ms) => this.#sleep(ms),
      news: (after, waitSeconds) => this.#newsOf(id, after, waitSeconds),
      secondsMax: onChange === undefined ? liveSecondsMax : lookSecondsMax,
    });
    for (;;) {
      const job = await this.request('GET /v1/jobs/{id}', { path: { id } });
      const now = JSON.stringify(job.status.chunks) + job.status.state;
      if (now !== last) onChange?.(job);
      last = now;
      if (endStates.has(job.status.state)) return job;
      if (!(await rest(endMs - Date.now()))) {
        throw new Error(`${id} is ${job.status.state} after ${timeoutMs} ms.`);
      }
    }
  }

  /** Asked once: who waits can look instead. */
  async #newsOf(id: string, after: string, waitSeconds: number): Promise<FleetEvents | null> {
    try {
      const query = { job: id, after, waitSeconds };
      const { bytes } = await this.#send('GET /v1/events', { query }, 1);
      return JSON.parse(new TextDecoder().decode(bytes));
    } catch (error) {
      if (this.#settings.signal?.aborted) throw error;
      return null;
    }
  }

  jobs(query: Routes['GET /v1/jobs']['query'] = {}): AsyncGenerator<Job> {
    return this.items('GET /v1/jobs', { query });
  }

  edges(query: Routes['GET /v1/edges']['query'] = {}): AsyncGenerator<Edge> {
    return this.items('GET /v1/edges', { query });
  }

  chunks(
    id: string,
    query: Routes['GET /v1/jobs/{id}/chunks']['query'] = {},
  ): AsyncGenerator<Chunk> {
    return this.items('GET /v1/jobs/{id}/chunks', { path: { id }, query });
  }

  /**
   * What a chunk printed, as far as the job keeps it; that of an ended one is waited for.
   * `stderr`: of a job that keeps standard error apart.
   */
  async output(
    id: string,
    chunk: number,
    stream: 'stdout' | 'stderr' = 'stdout',
  ): Promise<Uint8Array<ArrayBuffer>> {
    const query = stream === 'stdout' ? {} : { stream };
    const read = (more: Query) =>
      this.#send('GET /v1/jobs/{id}/chunks/{chunk}/output', {
        path: { id, chunk },
        query: { ...query, ...more },
      });
    const endMs = Date.now() + outputMsMax;
    for (;;) {
      try {
        const sleep = (ms: number) => this.#sleep(ms);
        const wholeBytesMax = async () => ((await this.#specOf(id)).outputMb ?? 0) * 1_048_576;
        return await wholeOutput(await read({}), { nowMs: Date.now, sleep, read, wholeBytesMax });
      } catch (error) {
        const isMissing = error instanceof Refusal && error.status === 404;
        if (!isMissing || Date.now() > endMs || !(await this.#isKept(id, chunk))) throw error;
        await this.#sleep(pollMsMax / 4);
      }
    }
  }

  /** Whether the output of a chunk that has ended is on its way. */
  async #isKept(id: string, chunk: number): Promise<boolean> {
    const spec = await this.#specOf(id);
    const { state } = await this.request('GET /v1/jobs/{id}/chunks/{chunk}', {
      path: { id, chunk },
    });
    const kept: readonly string[] = { none: [], failed: ['dead'], all: ['dead', 'done'] }[
      spec.keepOutput
    ];
    return kept.includes(state);
  }

  async #specOf(id: string): Promise<Job['spec']> {
    return (await this.request('GET /v1/jobs/{id}', { path: { id } })).spec;
  }

  /** The files that the chunks left, by chunk and path. */
  async *pull(
    id: string,
    query: Routes['GET /v1/jobs/{id}/files']['query'] = {},
  ): AsyncGenerator<PulledFile> {
    for await (const file of this.items('GET /v1/jobs/{id}/files', { path: { id }, query })) {
      yield { ...file, read: () => this.#read(file) };
    }
  }

  /**
   * Stores a file unless it is there, and says how a job names it among its inputs. A large one is
   * sent in parts, and what is there of it is not sent again.
   */
  async put(bytes: Uint8Array<ArrayBuffer>, pool?: string): Promise<{ readonly sha256: string }> {
    const sha256 = await digestOf(bytes);
    const parts: string[] = [];
    for (let at = 0; at < bytes.byteLength; at += filePartBytes) {
      parts.push(await digestOf(bytes.subarray(at, at + filePartBytes)));
    }
    const body = {
      ...{ sha256, bytes: bytes.byteLength },
      ...(parts.length > 1 ? { parts } : {}),
      ...(pool === undefined ? {} : { pool }),
    };
    for (let round = 0; round < partRoundsMax; round++) {
      const answer = await this.request('POST /v1/files', { body });
      if (answer.present) return { sha256 };
      if (!('parts' in answer)) {
        await this.#put(answer, bytes);
        return { sha256 };
      }
      for (const { number, ...address } of answer.parts) {
        const at = (number - 1) * filePartBytes;
        await this.#put({ sha256, ...address }, bytes.subarray(at, at + filePartBytes));
      }
    }
    throw new Error(`The store does not keep the parts of ${sha256}.`);
  }

  /**
   * Stores files as one tree, each unless it is there, and says how a job names it among its
   * inputs. Equal trees have equal digests.
   */
  async putTree(files: Iterable<TreeFile>, pool?: string): Promise<{ readonly manifest: string }> {
    const entries: { path: string; sha256: string; bytes: number; mode: string }[] = [];
    const contents = new Map<string, Uint8Array<ArrayBuffer>>();
    for (const { path, bytes, executable } of files) {
      const sha256 = await digestOf(bytes);
      const mode = executable === true ? '755' : '644';
      entries.push({ path, sha256, bytes: bytes.byteLength, mode });
      contents.set(sha256, bytes);
    }
    const isLarge = (digest: string) => contents.get(digest)!.byteLength > filePartBytes;
    for (const digest of [...contents.keys()].filter(isLarge)) {
      await this.put(contents.get(digest)!, pool);
    }
    const digests = [...contents.keys()].filter((digest) => !isLarge(digest));
    for (let at = 0; at < digests.length; at += filesPerRequestMax) {
      const some = digests.slice(at, at + filesPerRequestMax).map((sha256) => {
        return { sha256, bytes: contents.get(sha256)!.byteLength };
      });
      const body = { files: some, ...(pool === undefined ? {} : { pool }) };
      const { items } = await this.request('POST /v1/files/uploads', { body });
      for (const answer of items) {
        if (!answer.present) await this.#put(answer, contents.get(answer.sha256)!);
      }
    }
    entries.sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
    const text = `[${entries.map((entry) => JSON.stringify(entry)).join(',\n')}]\n`;
    return { manifest: (await this.put(new TextEncoder().encode(text), pool)).sha256 };
  }

  async #put(
    { sha256, uploadUrl, headers }: PutAddress,
    body: Uint8Array<ArrayBuffer>,
  ): Promise<void> {
    const init = { method: 'PUT', headers, body };
    const { status } = await this.#repeated(() => this.#fetch(uploadUrl, init, putMsMax), true);
    if (status >= 400) throw new Error(`The store refuses ${sha256} with ${status}.`);
  }

  async #read({ path, url, sha256 }: ResultFile): Promise<Uint8Array<ArrayBuffer>> {
    if (url === undefined) throw new Error(`${path} is a link.`);
    const { status, bytes } = await this.#repeated(() => this.#fetch(url, {}), true);
    if (status !== 200) throw new Error(`The store answers ${status} for ${path}.`);
    if ((await digestOf(bytes)) !== sha256) throw new Error(`${path} is not what was stored.`);
    return bytes;
  }

  async #send(route: Route, asked: object, attempts = attemptsMax): Promise<Received> {
    const { path = {}, query = {}, headers = {}, body } = asked as Asking;
    const [method = '', template = ''] = route.split(' ');
    const place = template.replace(/\{(\w+)\}/g, (_, name: string) => {
      const word = encodeURIComponent(String(path[name]));
      return name === 'path' ? word.replaceAll('%2F', '/') : word;
    });
    const sent = {
      method,
      headers: {
        authorization: `Bearer ${this.#settings.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const isRepeatable = method !== 'POST' || 'idempotency-key' in headers;
    const address = this.#url + place + queryText(query);
    const fetchIt = () => this.#fetch(address, sent);
    const received = await this.#repeated(fetchIt, isRepeatable, attempts);
    if (received.status < 400) return received;
    throw refusalOf(received.status, new TextDecoder().decode(received.bytes));
  }

  #repeated(
    send: () => Promise<Received>,
    isRepeatable: boolean,
    attempts = attemptsMax,
  ): Promise<Received> {
    return repeat(send, isRepeatable, {
      attemptsMax: attempts,
      retryAfterMsMax,
      sleep: (ms) => this.#sleep(ms),
      random: Math.random,
      isFinal: () => this.#settings.signal?.aborted === true,
    });
  }

  async #fetch(url: string, init: RequestInit, msMax = requestMsMax): Promise<Received> {
    const ends = [AbortSignal.timeout(msMax), this.#settings.signal];
    const signal = AbortSignal.any(ends.filter((end) => end !== undefined));
    const response = await (this.#settings.fetch ?? fetch)(url, { ...init, signal });
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, bytes };
  }

  #sleep(ms: number): Promise<void> {
    const { signal } = this.#settings;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms);
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    });
  }
}

type PutAddress = {
  readonly sha256: string;
  readonly uploadUrl: string;
  readonly headers: Record<string, string>;
};

type Received = {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
};

type Asking = {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
