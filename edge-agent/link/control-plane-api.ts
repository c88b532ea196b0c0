import type { JobId } from '../../core/model/names.ts';
import { formatRanges, type RangeSet } from '../../core/model/ranges.ts';
import { isCount, isRecord } from '../../core/protocol/json.ts';
import type { ProgressReportJson } from '../../core/protocol/progress-report.ts';
import { type Parameters, parseParameters } from '../../core/sweeps/parameters.ts';
import { httpAnswerBytesMax, httpTimeoutMs } from '../limits.ts';

/**
 * The few calls an agent makes over HTTP. A failure is a `ControlPlaneError` that says whether
 * trying again can help.
 */
export class ControlPlaneError extends Error {
  /** The HTTP status, or `null` when no answer came. */
  readonly status: number | null;
  readonly code: string;
  readonly retryAfterMs: number | null;

  constructor(message: string, status: number | null, code: string, retryAfterMs: number | null) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }

  /** The credential is not, or no longer, good for this. */
  get isRefusal(): boolean {
    return this.status === 401 || this.status === 403;
  }

  get isTemporary(): boolean {
    return this.status === null || this.status >= 500 || this.status === 429 || this.status === 408;
  }
}

export type ControlPlaneApi = {
  createEdge(credential: string, body: Record<string, unknown>): Promise<unknown>;
  getSpec(secret: string, job: JobId, hash: string): Promise<unknown>;
  getWork(secret: string, edge: string): Promise<unknown>;
  getEdge(secret: string, edge: string): Promise<unknown>;
  /** Names of jobs that the edge may take. */
  listOffers(secret: string, edge: string, max: number): Promise<readonly string[]>;
  acceptOffers(secret: string, edge: string, jobs: readonly string[]): Promise<void>;
  postReport(
    secret: string,
    edge: string,
    body: ProgressReportJson & { facts?: unknown },
  ): Promise<unknown>;
  /** `chunk`: the one whose parameters say that it needs them. */
  findAddresses(
    secret: string,
    job: JobId,
    digests: readonly string[],
    chunk?: number,
  ): Promise<FileAddresses>;
  /** Of these chunks those that this edge was given, as many as one answer holds. */
  getParameters(
    secret: string,
    job: JobId,
    chunks: RangeSet,
  ): Promise<ReadonlyMap<number, Parameters>>;
  putOutput(secret: string, place: OutputPlace, text: Uint8Array): Promise<void>;
  /** A part of an output that somebody follows. */
  putOutputPart(secret: string, place: OutputPartPlace, bytes: Uint8Array): Promise<void>;
  storeResults(
    secret: string,
    job: JobId,
    files: readonly FileToStore[],
  ): Promise<readonly UploadAddress[]>;
  putResult(
    secret: string,
    place: Omit<OutputPlace, 'attempt'>,
    body: Readonly<Record<string, unknown>>,
  ): Promise<void>;
};

export type FileToStore = {
  readonly sha256: string;
  readonly bytes: number;
  /** The digests of its parts, when it is sent in parts; such a file is asked for alone. */
  readonly parts?: readonly string[];
};

export type PutAddress = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** Where a file is put, or those parts of it that are missing; `null`: it is there already. */
export type UploadAddress = {
  readonly sha256: string;
  readonly address: PutAddress | { readonly parts: readonly PartAddress[] } | null;
};

export type PartAddress = PutAddress & { readonly number: number };

/** Where files can be read; what is not among them is not there, or not for this edge. */
export type FileAddresses = {
  readonly items: readonly { readonly sha256: string; readonly url: string }[];
};

export type OutputPlace = {
  readonly job: JobId;
  readonly chunk: number;
  readonly attempt: number;
  /** How much was printed in all, where that is known. */
  readonly total?: number;
  /** How many of the bytes are its beginning; the others are its end. */
  readonly head?: number;
  /** It is what was said on standard error. */
  readonly isErrors?: boolean;
  /** The digest of all of it, which is in the store. */
  readonly whole?: string;
};

export type OutputPartPlace = OutputPlace & {
  readonly offset: number;
  readonly isMore: boolean;
  readonly isLast: boolean;
};

export function makeControlPlaneApi(
  baseUrl: string,
  fetchOf: typeof fetch = fetch,
): ControlPlaneApi {
  const base = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
  const call = (method: string, path: string, credential: string, body?: Body): Promise<unknown> =>
    request(fetchOf, `${base}${path}`, method, credential, body);
  const json = (value: unknown): Body => ({
    type: 'application/json',
    content: JSON.stringify(value),
  });
  return {
    createEdge: (credential, body) => call('POST', '/v1/edges', credential, json(body)),
    getSpec: (secret, job, hash) =>
      call('GET', `/v1/jobs/${encode(job)}/spec?g=${encode(hash)}`, secret),
    getWork: (secret, edge) => call('GET', `/v1/edges/${encode(edge)}/work`, secret),
    getEdge: (secret, edge) => call('GET', `/v1/edges/${encode(edge)}`, secret),
    listOffers: async (secret, edge, max) => {
      const query = `max=${max}&limit=${max}&fits=some`;
      return readIds(await call('GET', `/v1/edges/${encode(edge)}/offers?${query}`, secret));
    },
    acceptOffers: async (secret, edge, jobs) => {
      const path = `/v1/edges/${encode(edge)}/accept`;
      await call('POST', path, secret, json({ jobs, fits: true }));
    },
    postReport: (secret, edge, body) =>
      call('POST', `/v1/edges/${encode(edge)}/report`, secret, json(body)),
    findAddresses: async (secret, job, sha256, chunk) => {
      const body = { job, sha256, ...(chunk === undefined ? {} : { chunk }) };
      return readAddresses(await call('POST', '/v1/files/addresses', secret, json(body)));
    },
    getParameters: async (secret, job, chunks) => {
      const path = `/v1/jobs/${encode(job)}/params?chunks=${formatRanges(chunks)}`;
      return readParameters(await call('GET', path, secret));
    },
    putOutput: async (secret, { total, head = 0, isErrors, whole, ...place }, text) => {
      const size = total === undefined ? '' : `&total=${total}&head=${head}`;
      const what = `${isErrors ? '&stream=stderr' : ''}${whole ? `&whole=${whole}` : ''}`;
      const path = `${outputPath(place)}${size}${what}`;
      await call('PUT', path, secret, { type: 'application/octet-stream', content: text });
    },
    putOutputPart: async (secret, { offset, isMore, isLast, ...place }, bytes) => {
      const path = `${outputPath(place)}&offset=${offset}&more=${isMore}&last=${isLast}`;
      await call('PUT', path, secret, { type: 'application/octet-stream', content: bytes });
    },
    storeResults: async (secret, job, files) => {
      const path = `/v1/jobs/${encode(job)}/files/uploads`;
      return readUploads(await call('POST', path, secret, json({ files })));
    },
    putResult: async (secret, { job, chunk }, body) => {
      await call('PUT', `/v1/jobs/${encode(job)}/chunks/${chunk}/files`, secret, json(body));
    },
  };
}

const outputPath = ({ job, chunk, attempt }: OutputPlace): string =>
  `/v1/jobs/${encode(job)}/chunks/${chunk}/output?attempt=${attempt}`;

function readIds(value: unknown): readonly string[] {
  const items = isRecord(value) && Array.isArray(value.items) ? value.items : [];
  return items.flatMap((item: unknown) =>
    isRecord(item) && typeof item.id === 'string' ? [item.id] : [],
  );
}

function readAddresses(value: unknown): FileAddresses {
  const items = isRecord(value) && Array.isArray(value.items) ? value.items : [];
  return {
    items: items.flatMap((item: unknown) => {
      if (!isRecord(item)) return [];
      const { sha256, url } = item;
      return typeof sha256 === 'string' && typeof url === 'string' ? [{ sha256, url }] : [];
    }),
  };
}

function readParameters(value: unknown): ReadonlyMap<number, Parameters> {
  const items = isRecord(value) && Array.isArray(value.items) ? value.items : [];
  const found = new Map<number, Parameters>();
  for (const item of items) {
    const parameters = isRecord(item) ? parseParameters(item.params) : null;
    if (parameters !== null && isCount(item.chunk)) found.set(item.chunk, parameters);
  }
  return found;
}

function readUploads(value: unknown): UploadAddress[] {
  const items = isRecord(value) && Array.isArray(value.items) ? value.items : [];
  return items.flatMap((item: unknown): UploadAddress[] => {
    if (!isRecord(item) || typeof item.sha256 !== 'string') return [];
    const { sha256, present } = item;
    if (present === true) return [{ sha256, address: null }];
    if (Array.isArray(item.parts)) {
      const parts = item.parts.flatMap((part: unknown) => {
        const address = readPutAddress(part);
        if (address === null || !isRecord(part) || !isCount(part.number)) return [];
        return part.number === 0 ? [] : [{ ...address, number: part.number }];
      });
      return [{ sha256, address: { parts } }];
    }
    const address = readPutAddress(item);
    return address === null ? [] : [{ sha256, address }];
  });
}

function readPutAddress(value: unknown): PutAddress | null {
  if (!isRecord(value) || typeof value.uploadUrl !== 'string' || !isRecord(value.headers)) {
    return null;
  }
  const headers = Object.fromEntries(
    Object.entries(value.headers).filter((each): each is [string, string] => {
      return typeof each[1] === 'string';
    }),
  );
  return { url: value.uploadUrl, headers };
}

/** Another API is asked the same way. */
export function callApi(
  { base, credential }: { readonly base: string; readonly credential: string },
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const content = body === undefined ? undefined : JSON.stringify(body);
  const sent = content === undefined ? undefined : { type: 'application/json', content };
  return request(fetch, `${base}${path}`, method, credential, sent);
}

type Body = { readonly type: string; readonly content: string | Uint8Array };

const encode = encodeURIComponent;
const proxyWantsUser = 407;

async function request(
  fetchOf: typeof fetch,
  url: string,
  method: string,
  credential: string,
  body: Body | undefined,
): Promise<unknown> {
  const headers: Record<string, string> = { authorization: `Bearer ${credential}` };
  if (body !== undefined) headers['content-type'] = body.type;
  let response: Response;
  let text: string;
  try {
    response = await fetchOf(url, {
      method,
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(httpTimeoutMs),
      ...(body === undefined ? {} : { body: body.content as string }),
    });
    text = await response.text();
  } catch (error) {
    throw new ControlPlaneError(
      `${url} does not answer: ${causeOf(error)}.`,
      null,
      'unreachable',
      null,
    );
  }
  // Under Bun that of a proxy is answered as if it were the API's.
  if (response.status === proxyWantsUser) {
    const words = 'the proxy wants a user and a password, or others (407).';
    throw new ControlPlaneError(`${url} is not reached: ${words}`, null, 'unreachable', null);
  }
  if (text.length > httpAnswerBytesMax) {
    throw new ControlPlaneError(
      `${url} answered more than an agent reads.`,
      502,
      'answer-too-large',
      null,
    );
  }
  const value = parse(text);
  if (response.ok) return value;
  const problem = isRecord(value) ? value : {};
  const detail = typeof problem.detail === 'string' ? problem.detail : response.statusText;
  const code = typeof problem.code === 'string' ? problem.code : `http-${response.status}`;
  const after = Number(response.headers.get('retry-after'));
  throw new ControlPlaneError(
    `${method} ${new URL(url).pathname}: ${response.status} ${detail}`.trim(),
    response.status,
    code,
    Number.isFinite(after) && after > 0 ? after * 1_000 : null,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The words at the bottom of a chain of causes: `connect ECONNREFUSED 127.0.0.1:4567`. */
export function causeOf(error: unknown): string {
  let deepest: unknown = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  if (deepest instanceof AggregateError && deepest.errors[0] instanceof Error) {
    return deepest.errors[0].message;
  }
  return deepest instanceof Error ? deepest.message : String(deepest);
}
