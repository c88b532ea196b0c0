import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jobIdOf } from '../../core/model/names.ts';
import {
  chunksOf,
  emptyRanges,
  formatRanges,
  fromChunks,
  intersect,
  isEmpty,
  parseRanges,
  type RangeSet,
  subtract,
  union,
} from '../../core/model/ranges.ts';
import {
  type Failure,
  type ProgressReport,
  parseProgressReport,
} from '../../core/protocol/progress-report.ts';
import { hangsMs } from '../wait-until.ts';
import { FileStore, type FileStoreDouble } from './file-store-double.ts';
import { type OutputPartDouble, parametersAnswer, takeOutput } from './report/chunk-double.ts';
import { type ShadowDouble, startShadowDouble } from './shadow-double.ts';

/**
 * A control plane small enough to be obviously right, for tests of the agent alone: it grants what
 * the test says, applies reports as the protocol wants it, counts how often each chunk was done,
 * and acknowledges.
 */
export type ControlPlaneDouble = {
  readonly url: string;
  readonly enrolToken: string;
  readonly shadows: ShadowDouble;
  /** Keyed by job: what was done and how it failed. */
  readonly jobs: ReadonlyMap<string, JobDouble>;
  readonly reports: ProgressReport[];
  readonly facts: Map<string, unknown>;
  /** Of sweeps: by job, one set for each chunk. */
  readonly parameters: Map<string, readonly object[]>;
  readonly outputs: Map<string, string>;
  readonly outputParts: readonly OutputPartDouble[];
  /** The same, byte for byte. */
  readonly outputBytes: Map<string, Uint8Array>;
  readonly wholeOutputs: Map<string, string>;
  readonly files: FileStoreDouble;
  /** Chunks that were done before their results were safe: none, ever. */
  readonly unsafe: readonly string[];
  readonly requests: string[];
  /** What edges get when they enrol; the broker's own when `null`. */
  mqttEndpoint: string | null;
  /** Of the certificates to come. */
  certificateLifeMs: number;
  addJob(id: string, spec: Record<string, unknown>): void;
  grant(edge: string, job: string, ranges: string, slots: number): void;
  /** Changes one edge's entry of a job by hand, or removes it with `null`. */
  amend(edge: string, job: string, change: Partial<EntryDouble> | null): void;
  revoke(edge: string): void;
  /** As a table that was restored from a backup: it counts on from an earlier epoch. */
  restoreTo(edge: string, epoch: number): void;
  /** Resolves when `holds` does; asked whenever something arrives. */
  until(holds: () => boolean, what: string, withinMs?: number): Promise<void>;
  /** Stops the HTTP side alone, and brings it back. */
  setHttpDown(isDown: boolean): void;
  stop(): Promise<void>;
};

export type JobDouble = {
  readonly done: Set<number>;
  readonly failed: Map<number, Failure>;
  readonly refusals: Map<string, string>;
  /** Results reported for a chunk that was already done. */
  repeats: number;
};

export type EntryDouble = {
  ranges: RangeSet;
  slots: number;
  release: RangeSet;
  attempts: string | null;
};

type EdgeDouble = {
  epoch: number;
  acknowledgedSequence: number | null;
  entries: Map<string, EntryDouble>;
  removed: Set<string>;
  secret: string;
  /** Known by it once it has enrolled. */
  key: string | null;
  isRevoked: boolean;
  pool: string | null;
};

export async function startControlPlane(): Promise<ControlPlaneDouble> {
  const controlPlane = new ControlPlane();
  await controlPlane.start();
  return controlPlane;
}

class ControlPlane implements ControlPlaneDouble {
  url = '';
  readonly enrolToken = randomBytes(8).toString('hex');
  shadows!: ShadowDouble;
  readonly jobs = new Map<string, JobDouble>();
  readonly reports: ProgressReport[] = [];
  readonly facts = new Map<string, unknown>();
  readonly parameters = new Map<string, readonly object[]>();
  readonly outputs = new Map<string, string>();
  readonly outputParts: OutputPartDouble[] = [];
  readonly outputBytes = new Map<string, Uint8Array>();
  readonly wholeOutputs = new Map<string, string>();
  readonly files = new FileStore();
  readonly unsafe: string[] = [];
  readonly requests: string[] = [];
  mqttEndpoint: string | null = null;
  certificateLifeMs = 24 * 3_600_000;
  readonly #specs = new Map<string, Record<string, unknown>>();
  readonly #edges = new Map<string, EdgeDouble>();
  readonly #watchers = new Set<() => void>();
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch((error) => {
      response.writeHead(500).end(String(error));
    });
  });
  #isDown = false;

  async start(): Promise<void> {
    this.shadows = await startShadowDouble({
      reported: (edge, shadow, state) => this.#reported(edge, shadow, state),
      admits: (edge) => this.#edges.get(edge)?.isRevoked === false,
    });
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  addJob(id: string, spec: Record<string, unknown>): void {
    this.jobs.set(id, { done: new Set(), failed: new Map(), refusals: new Map(), repeats: 0 });
    this.#specs.set(id, {
      id,
      hash: 'h1',
      name: null,
      chunkPower: 1,
      lastChunkPower: spec.chunkPower ?? 1,
      resources: {},
      keepOutput: 'failed',
      offlineSeconds: null,
      ...spec,
    });
  }

  grant(edge: string, job: string, ranges: string, slots: number): void {
    const state = this.#edgeOf(edge);
    const before = state.entries.get(job)?.ranges ?? emptyRanges;
    state.entries.set(job, {
      ranges: union(before, parseRanges(ranges) ?? emptyRanges),
      slots,
      release: emptyRanges,
      attempts: null,
    });
    this.#write(edge);
  }

  amend(edge: string, job: string, change: Partial<EntryDouble> | null): void {
    const state = this.#edgeOf(edge);
    const entry = state.entries.get(job);
    if (change === null) this.#drop(state, job);
    else if (entry !== undefined) Object.assign(entry, change);
    this.#write(edge);
  }

  revoke(edge: string): void {
    this.#edgeOf(edge).isRevoked = true;
    this.shadows.disconnect(edge);
  }

  restoreTo(edge: string, epoch: number): void {
    this.#edgeOf(edge).epoch = epoch;
  }

  setHttpDown(isDown: boolean): void {
    this.#isDown = isDown;
  }

  async until(holds: () => boolean, what: string, withinMs = hangsMs): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#watchers.delete(look);
        reject(new Error(`never happened: ${what}`));
      }, withinMs);
      const look = (): void => {
        if (!holds()) return;
        clearTimeout(timer);
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
    });
  }

  async stop(): Promise<void> {
    await this.shadows.stop();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #edgeOf(name: string): EdgeDouble {
    let state = this.#edges.get(name);
    if (state === undefined) {
      state = {
        epoch: 0,
        acknowledgedSequence: null,
        entries: new Map(),
        removed: new Set(),
        secret: randomBytes(8).toString('hex'),
        key: null,
        isRevoked: false,
        pool: null,
      };
      this.#edges.set(name, state);
    }
    return state;
  }

  #drop(state: EdgeDouble, job: string): void {
    state.entries.delete(job);
    state.removed.add(job);
  }

  #workOf(state: EdgeDouble): Record<string, unknown> {
    const w: Record<string, unknown> = {};
    for (const job of state.removed) w[job] = null;
    for (const [job, entry] of state.entries) {
      w[job] = {
        r: formatRanges(entry.ranges),
        s: entry.slots,
        p: this.#specs.get(job)?.chunkPower ?? 1,
        g: 'h1',
        u: isEmpty(entry.release) ? null : formatRanges(entry.release),
        t: entry.attempts,
      };
    }
    return { e: state.epoch, n: state.acknowledgedSequence, w };
  }

  #write(edge: string): void {
    const state = this.#edgeOf(edge);
    state.epoch += 1;
    this.shadows.desire(edge, 'work', this.#workOf(state));
    state.removed.clear();
  }

  #reported(edge: string, shadow: string, state: unknown): void {
    if (shadow === 'facts') this.facts.set(edge, state);
    const progress = shadow === 'prog' ? parseProgressReport(state) : null;
    if (progress !== null) {
      this.reports.push(progress);
      this.#apply(edge, progress);
    }
    for (const look of [...this.#watchers]) look();
  }

  #apply(edge: string, progress: ProgressReport): void {
    const state = this.#edgeOf(edge);
    let isChanged = (progress.sequence ?? 0) < (state.acknowledgedSequence ?? 0);
    if (isChanged) return;
    state.acknowledgedSequence = progress.sequence;
    if (progress.epoch > state.epoch) {
      state.epoch = progress.epoch;
      isChanged = true;
    }
    for (const [job, entry] of progress.jobs) {
      const known = this.jobs.get(job);
      const lease = state.entries.get(job);
      if (known === undefined) continue;
      if (entry.refused !== null) known.refusals.set(edge, entry.refused);
      const ended = union(entry.done, fromChunks(entry.failed.keys()));
      for (const chunk of chunksOf(entry.done)) {
        if (known.done.has(chunk)) known.repeats += 1;
        const hasResults = this.#specs.get(job)?.outputs !== undefined;
        if (hasResults && !this.files.results.has(`${job}/${chunk}`))
          this.unsafe.push(`${job}/${chunk}`);
        known.done.add(chunk);
        known.failed.delete(chunk);
      }
      for (const [chunk, failure] of entry.failed) known.failed.set(chunk, failure);
      isChanged ||= !isEmpty(ended);
      if (lease === undefined) continue;
      lease.ranges = subtract(lease.ranges, ended);
      lease.release = emptyRanges;
      if (isEmpty(lease.ranges)) this.#drop(state, job);
    }
    if (progress.goodbye) {
      for (const [job, lease] of [...state.entries]) {
        lease.ranges = intersect(
          lease.ranges,
          progress.jobs.get(jobIdOf(job))?.running ?? emptyRanges,
        );
        if (isEmpty(lease.ranges)) this.#drop(state, job);
      }
      isChanged = true;
    }
    if (isChanged) this.#write(edge);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#isDown) return void request.socket.destroy();
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const url = new URL(request.url ?? '/', this.url);
    const digest = /^\/bucket\/(\w+)$/.exec(url.pathname)?.[1];
    if (digest !== undefined && request.method === 'PUT') {
      this.files.put(digest, request, body, response);
      for (const look of [...this.#watchers]) look();
      return;
    }
    if (digest !== undefined) return this.files.send(digest, request, response);
    const path = url.pathname.split('/').slice(2);
    const credential = (request.headers.authorization ?? '').replace('Bearer ', '');
    this.requests.push(`${request.method} ${url.pathname}`);
    const answer = (status: number, value: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
      for (const look of [...this.#watchers]) look();
    };
    const problem = (status: number, code: string): void =>
      answer(status, { status, code, detail: code });
    if (request.method === 'POST' && path.length === 1) {
      return this.#enrol(credential, JSON.parse(body.toString()), answer, problem);
    }
    const bySecret = [...this.#edges].find(([, { secret }]) => secret === credential);
    if (bySecret === undefined || bySecret[1].isRevoked) return problem(401, 'unauthorised');
    const [edge, state] = bySecret;
    const [kind, id = '', what, number] = path;
    if (kind === 'jobs' && [what, path[4]].includes('files')) {
      const taken = this.files.takeResult(this.url, path, JSON.parse(body.toString()));
      return taken === null ? problem(503, 'temporarily-unavailable') : answer(200, taken);
    }
    if (kind === 'files') {
      return answer(200, this.files.addresses(this.url, JSON.parse(body.toString()).sha256));
    }
    if (kind === 'jobs' && what === 'spec') {
      const spec = this.#specs.get(id);
      return spec === undefined ? problem(404, 'not-found') : answer(200, spec);
    }
    if (kind === 'jobs' && what === 'params') {
      return answer(200, parametersAnswer(this.parameters.get(id) ?? [], url.searchParams));
    }
    if (kind === 'jobs' && what === 'chunks') {
      takeOutput(this, `${id}/${number}`, url.searchParams, body);
      return answer(204, null);
    }
    if (what === 'work') return answer(200, this.#workOf(state));
    const report = JSON.parse(body.toString()) as Record<string, unknown>;
    if (report.facts !== undefined) this.#reported(edge, 'facts', report.facts);
    this.#reported(edge, 'prog', report);
    return answer(202, {});
  }

  #enrol(
    credential: string,
    body: Record<string, unknown>,
    answer: (status: number, value: unknown) => void,
    problem: (status: number, code: string) => void,
  ): void {
    const name = String(body.name);
    const csr = String(body.csr);
    const key = this.shadows.keyOf(csr);
    const known = this.#edges.get(name);
    const isItself = known !== undefined && known.secret === credential;
    if (credential !== this.enrolToken && !isItself) {
      problem(403, 'forbidden');
      return;
    }
    const isOther = known !== undefined && known.key !== null && known.key !== key;
    if (isOther && !known.isRevoked) {
      problem(409, 'edge-exists');
      return;
    }
    this.requests.push(`enrolled ${name}`);
    if (known?.isRevoked) this.#edges.delete(name);
    const state = this.#edgeOf(name);
    state.key = key;
    state.pool ??= typeof body.pool === 'string' ? body.pool : 'default';
    void this.shadows.sign(csr, this.certificateLifeMs).then((pem) =>
      answer(201, {
        edge: { name, pool: state.pool },
        certificate: pem,
        caCertificate: this.shadows.caCertificate,
        mqttEndpoint: this.mqttEndpoint ?? this.shadows.endpoint,
        token: `id-${name}`,
        secret: state.secret,
      }),
    );
  }
}
