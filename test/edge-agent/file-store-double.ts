import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A store of files for tests of the agent alone, that misbehaves when a test asks for it. */
export type FileStoreDouble = {
  /** Answers its digest. */
  add(content: string | Uint8Array): string;
  remove(digest: string): void;
  /** From now on it is sent like this. */
  spoil(digest: string, how: Spoiled): void;
  /** What is put is taken like this from now on. */
  taking: Taking;
  /** Before it is said where files of a job are put. */
  beforeUploads: (job: string) => void;
  /** What chunks left, by job and chunk: the list of files and how many they are. */
  readonly results: ReadonlyMap<string, ResultDouble>;
  /** The API takes no results. */
  resultsRefused: boolean;
  /** Contents that were put and taken, in order. */
  readonly puts: string[];
  has(digest: string): boolean;
  content(digest: string): Buffer | undefined;
  /** What was asked for, in order: a digest, and where it was to begin. */
  readonly reads: { readonly digest: string; readonly start: number }[];
};

export type Spoiled =
  /** One bit is another. */
  | 'flipped'
  /** The connection ends in the middle, each time. */
  | 'cut'
  /** As if the bucket had gone. */
  | 'gone'
  /** It stops in the middle, and the connection stays open. */
  | 'stalled'
  | 'well';

export type ResultDouble = {
  readonly manifest: string;
  readonly files: number;
  readonly bytes: number;
  readonly done: boolean;
};

type ResultBody = ResultDouble & { readonly files: readonly { readonly sha256: string }[] };

/** How bytes are taken that are put. */
export type Taking =
  | 'well'
  /** As if the bucket had gone. */
  | 'gone'
  /** The connection ends in the middle. */
  | 'cut'
  /** One bit is another when it arrives. */
  | 'flipped';

export class FileStore implements FileStoreDouble {
  taking: Taking = 'well';
  beforeUploads: (job: string) => void = () => {};
  readonly puts: string[] = [];
  readonly results = new Map<string, ResultDouble>();
  resultsRefused = false;
  readonly reads: { readonly digest: string; readonly start: number }[] = [];
  readonly #files = new Map<string, Buffer>();
  readonly #spoiled = new Map<string, Spoiled>();

  add(content: string | Uint8Array): string {
    const bytes = Buffer.from(content);
    const digest = createHash('sha256').update(bytes).digest('hex');
    this.#files.set(digest, bytes);
    return digest;
  }

  remove(digest: string): void {
    this.#files.delete(digest);
  }

  spoil(digest: string, how: Spoiled): void {
    this.#spoiled.set(digest, how);
  }

  has(digest: string): boolean {
    return this.#files.has(digest);
  }

  content(digest: string): Buffer | undefined {
    return this.#files.get(digest);
  }

  /** What the API answers about results of `jobs/ID/files/uploads` and `jobs/ID/chunks/N/files`. */
  takeResult(
    base: string,
    [, id = '', what, chunk]: readonly string[],
    body: ResultBody,
  ): object | null {
    if (what === 'files') {
      this.beforeUploads(id);
      return this.#uploads(base, body.files);
    }
    if (this.resultsRefused) return null;
    this.results.set(`${id}/${chunk}`, body);
    return {};
  }

  /** Where files are put that are not there. */
  #uploads(base: string, wanted: readonly { sha256: string }[]): object {
    const items = wanted.map(({ sha256 }) => {
      if (this.#files.has(sha256)) return { sha256, present: true };
      const headers = { 'x-sum': sha256 };
      return { sha256, present: false, uploadUrl: `${base}/bucket/${sha256}`, headers };
    });
    return { items };
  }

  /** Compares what comes with the digest, as the store does; nothing is read of a cut one. */
  put(digest: string, request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const bytes = Buffer.from(body);
    if (this.taking === 'cut') return void request.socket.destroy();
    if (this.taking === 'gone') return void response.writeHead(404).end();
    if (this.taking === 'flipped') bytes[0] = (bytes[0] ?? 0) ^ 1;
    const isWhole = Number(request.headers['content-length']) === bytes.length;
    const sum = createHash('sha256').update(bytes).digest('hex');
    if (!isWhole || sum !== digest || request.headers['x-sum'] !== digest) {
      return void response.writeHead(400).end();
    }
    this.#files.set(digest, bytes);
    this.puts.push(digest);
    response.writeHead(200).end();
  }

  addresses(base: string, wanted: readonly string[]): object {
    const there = wanted.filter((digest) => this.#files.has(digest));
    const items = there.map((sha256) => ({ sha256, url: `${base}/bucket/${sha256}` }));
    return { items, missing: wanted.filter((digest) => !this.#files.has(digest)) };
  }

  send(digest: string, request: IncomingMessage, response: ServerResponse): void {
    const whole = this.#files.get(digest);
    const how = this.#spoiled.get(digest) ?? 'well';
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    const start = Number(range?.[1] ?? 0);
    this.reads.push({ digest, start });
    if (whole === undefined || how === 'gone') return void response.writeHead(404).end();
    if (range !== null && start >= whole.length) return void response.writeHead(416).end();
    const bytes = Buffer.from(whole);
    if (how === 'flipped') bytes[0] = (bytes[0] ?? 0) ^ 1;
    const end = Math.min(Number(range?.[2] || whole.length - 1) + 1, whole.length);
    const part = bytes.subarray(start, end);
    const place = { 'content-range': `bytes ${start}-${end - 1}/${whole.length}` };
    response.writeHead(range === null ? 200 : 206, {
      'content-length': part.length,
      ...(range !== null && place),
    });
    if (how !== 'cut' && how !== 'stalled') return void response.end(part);
    response.write(part.subarray(0, Math.ceil(part.length / 2)), () => {
      if (how === 'cut') response.destroy();
    });
  }
}
