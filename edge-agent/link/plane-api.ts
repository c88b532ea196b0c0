import type { JobId } from '../../core/model/names.ts';
import { isRecord } from '../../core/protocol/json.ts';
import type { ProgressReportJson } from '../../core/protocol/progress-report.ts';
import { httpAnswerBytesMax, httpTimeoutMs } from '../limits.ts';

/**
 * The few calls an agent makes over HTTP. A failure is a `PlaneError` that says whether trying
 * again can help.
 */
export class PlaneError extends Error {
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

export type PlaneApi = {
  createEdge(credential: string, body: Record<string, unknown>): Promise<unknown>;
  getSpec(secret: string, job: JobId, hash: string): Promise<unknown>;
  getWork(secret: string, edge: string): Promise<unknown>;
  postReport(
    secret: string,
    edge: string,
    body: ProgressReportJson & { facts?: unknown },
  ): Promise<unknown>;
  putOutput(secret: string, place: OutputPlace, text: Uint8Array): Promise<void>;
};

export type OutputPlace = {
  readonly job: JobId;
  readonly chunk: number;
  readonly attempt: number;
};

export function makePlaneApi(baseUrl: string, fetchOf: typeof fetch = fetch): PlaneApi {
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
    postReport: (secret, edge, body) =>
      call('POST', `/v1/edges/${encode(edge)}/report`, secret, json(body)),
    putOutput: async (secret, { job, chunk, attempt }, text) => {
      const path = `/v1/jobs/${encode(job)}/chunks/${chunk}/output?attempt=${attempt}`;
      await call('PUT', path, secret, { type: 'text/plain; charset=utf-8', content: text });
    },
  };
}

type Body = { readonly type: string; readonly content: string | Uint8Array };

const encode = encodeURIComponent;

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
    throw new PlaneError(`${url} does not answer: ${causeOf(error)}.`, null, 'unreachable', null);
  }
  if (text.length > httpAnswerBytesMax) {
    throw new PlaneError(
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
  throw new PlaneError(
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
