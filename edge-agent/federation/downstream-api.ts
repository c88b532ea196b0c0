import { type JobId, parseJobId } from '../../core/model/names.ts';
import {
  emptyRanges,
  formatRanges,
  parseRanges,
  type RangeSet,
  unionAll,
} from '../../core/model/ranges.ts';
import { isCount, isRecord } from '../../core/protocol/json.ts';
import type { Failure } from '../../core/protocol/progress-report.ts';
import { httpTimeoutMs } from '../limits.ts';
import { callApi } from '../link/control-plane-api.ts';
import { downstreamPageMax, siteEdgesMax } from './limits.ts';

/** The deployment below, asked as anybody asks it: by its public API, with a token. */
export type DownstreamApi = {
  putJob(id: string, body: Readonly<Record<string, unknown>>): Promise<DownstreamJob>;
  job(id: string): Promise<DownstreamJob>;
  /** Chunks in this state, each with how it ended. */
  chunks(id: string, state: EndedState): Promise<ReadonlyMap<number, Failure>>;
  output(id: string, chunk: number): Promise<Uint8Array | null>;
  /** The files that a chunk left there, each with an address for an hour. */
  results(id: string, chunk: number): AsyncIterable<DownstreamResult>;
  cancel(id: string): Promise<void>;
  /** By their numbers there; what has ended stays as it ended. */
  cancelChunks(id: string, chunks: RangeSet): Promise<void>;
  power(pool: string): Promise<{ readonly total: number; readonly free: number }>;
  edges(pool: string): Promise<readonly DownstreamEdge[]>;
};

type EndedState = 'dead' | 'cancelled';

export type DownstreamJob = {
  readonly id: JobId | null;
  readonly state: string;
  readonly done: RangeSet;
  readonly running: RangeSet;
  readonly counts: Readonly<Record<'total' | 'pending' | 'dead' | 'cancelled', number>>;
  readonly waiting: readonly { readonly reason: string; readonly detail: string }[];
};

export type DownstreamResult = {
  readonly path: string;
  readonly url: string | null;
  readonly sha256: string | null;
  readonly bytes: number | null;
  readonly executable: boolean;
  /** Of a link, in the place of the others. */
  readonly link: string | null;
};

export type DownstreamEdge = {
  readonly takesWork: boolean;
  readonly capacity: Readonly<Record<string, number>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly facts: Readonly<Record<string, unknown>>;
};

export function makeDownstreamApi(url: string, token: string): DownstreamApi {
  const ask = (method: string, path: string, body?: object): Promise<unknown> =>
    callApi({ base: url, credential: token }, method, path, body);
  const name = encodeURIComponent;

  async function* pages(path: string): AsyncGenerator<unknown> {
    let cursor: string | null = null;
    do {
      const more: string = cursor === null ? '' : `&cursor=${name(cursor)}`;
      const page = await ask('GET', `${path}&limit=${downstreamPageMax}${more}`);
      if (!isRecord(page) || !Array.isArray(page.items)) return;
      yield* page.items;
      cursor = typeof page.nextCursor === 'string' ? page.nextCursor : null;
    } while (cursor !== null);
  }

  /** A job says itself what its first edges did; of one on more edges all are asked for. */
  async function readJob(id: string, value: unknown): Promise<DownstreamJob> {
    const job = jobOf(value);
    if (job.executions.length < executionsInJob) return job;
    const all: unknown[] = [];
    for await (const one of pages(`/v1/jobs/${name(id)}/executions?`)) all.push(one);
    return { ...job, ...rangesOf(all) };
  }

  return {
    putJob: async (id, body) => readJob(id, await ask('PUT', `/v1/jobs/${name(id)}`, body)),
    job: async (id) => readJob(id, await ask('GET', `/v1/jobs/${name(id)}`)),
    async chunks(id, state) {
      const ends = new Map<number, Failure>();
      for await (const item of pages(`/v1/jobs/${name(id)}/chunks?state=${state}`)) {
        if (!isRecord(item) || !isCount(item.chunk)) continue;
        const { exitCode, reason } = item;
        const text = typeof reason === 'string' && reason !== '' ? reason : state;
        ends.set(item.chunk, typeof exitCode === 'number' ? exitCode : text);
      }
      return ends;
    },
    async output(id, chunk) {
      const path = `/v1/jobs/${name(id)}/chunks/${chunk}/output`;
      const answer = await fetch(`${url}${path}`, {
        headers: { authorization: `Bearer ${token}` },
        redirect: 'error',
        signal: AbortSignal.timeout(httpTimeoutMs),
      });
      return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null;
    },
    async *results(id, chunk) {
      for await (const item of pages(`/v1/jobs/${name(id)}/files?chunk=${chunk}`)) {
        if (isRecord(item)) yield resultOf(item);
      }
    },
    cancel: async (id) => {
      await ask('DELETE', `/v1/jobs/${name(id)}`);
    },
    cancelChunks: async (id, chunks) => {
      await ask('DELETE', `/v1/jobs/${name(id)}/chunks?ranges=${formatRanges(chunks)}`);
    },
    async power(pool) {
      const stats = await ask('GET', `/v1/stats?pool=${name(pool)}`);
      const power = isRecord(stats) && isRecord(stats.power) ? stats.power : {};
      return { total: amount(power.total), free: amount(power.free) };
    },
    async edges(pool) {
      const edges: DownstreamEdge[] = [];
      for await (const item of pages(`/v1/edges?pool=${name(pool)}`)) {
        if (isRecord(item)) edges.push(edgeOf(item));
        if (edges.length >= siteEdgesMax) break;
      }
      return edges;
    },
  };
}

/** How many executions the answer of a job holds (`executionsShownMax`). */
const executionsInJob = 100;

function jobOf(value: unknown): DownstreamJob & { readonly executions: readonly unknown[] } {
  const job = isRecord(value) ? value : {};
  const status = isRecord(job.status) ? job.status : {};
  const counts = isRecord(status.chunks) ? status.chunks : {};
  const executions = Array.isArray(status.executions) ? status.executions : [];
  const waiting = Array.isArray(status.waiting) ? status.waiting : [];
  return {
    id: parseJobId(String(job.id)),
    state: typeof status.state === 'string' ? status.state : 'unknown',
    ...rangesOf(executions),
    counts: {
      total: amount(counts.total),
      pending: amount(counts.pending),
      dead: amount(counts.dead),
      cancelled: amount(counts.cancelled),
    },
    waiting: waiting.filter(isRecord).map(({ reason, detail }) => {
      return { reason: String(reason), detail: String(detail) };
    }),
    executions,
  };
}

function rangesOf(executions: readonly unknown[]): Pick<DownstreamJob, 'done' | 'running'> {
  const all = (field: 'done' | 'running'): RangeSet =>
    unionAll(
      executions.map((one) => {
        const text = isRecord(one) ? one[field] : null;
        return (typeof text === 'string' ? parseRanges(text) : null) ?? emptyRanges;
      }),
    );
  return { done: all('done'), running: all('running') };
}

function resultOf(item: Record<string, unknown>): DownstreamResult {
  const { path, url, sha256, bytes, executable, link } = item;
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    path: text(path) ?? '',
    url: text(url),
    sha256: text(sha256),
    bytes: isCount(bytes) ? bytes : null,
    executable: executable === true,
    link: text(link),
  };
}

function edgeOf(item: Record<string, unknown>): DownstreamEdge {
  const { state, cordoned, draining, removing } = item;
  const isOut = cordoned === true || draining === true || removing === true;
  return {
    takesWork: state === 'connected' && !isOut,
    capacity: only(item.capacity, (value) => typeof value === 'number'),
    labels: only(item.labels, (value) => typeof value === 'string'),
    facts: isRecord(item.facts) ? item.facts : {},
  };
}

function only<T>(
  table: unknown,
  isMeant: (value: unknown) => boolean,
): Readonly<Record<string, T>> {
  const entries = Object.entries(isRecord(table) ? table : {});
  return Object.fromEntries(entries.filter(([, value]) => isMeant(value))) as Record<string, T>;
}

function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
