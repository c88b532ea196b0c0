import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { noEdgeWork } from '../../../core/model/cell.ts';
import { edgeNameOf, type JobId } from '../../../core/model/names.ts';
import { isEmpty } from '../../../core/model/ranges.ts';
import { hashOfSecret } from '../../../lambdas/api/tokens/identify-caller.ts';
import { type ApiStage, createApiStage } from '../../lambdas/api/api-stage.ts';
import { changeEdge, nothingStored, type Stored } from '../../memory/stored.ts';
import { createMemoryStores } from '../../memory/stores.ts';
import { type Fate, WorkingEdge } from './working-edge.ts';

/**
 * The API that is shipped, over HTTP and over stores in memory, with three edges that work for it.
 * Its time only passes when a command waits: then edges work, passes decide and jobs end. Ids are
 * numbered, so that a session prints the same each time.
 */
export type ServedFleet = {
  readonly url: string;
  readonly api: ApiStage;
  readonly seen: readonly SeenRequest[];
  /** What was drawn at random and is shown, with a name to show instead. */
  readonly drawn: ReadonlyMap<string, string>;
  nowMs(): number;
  submit(body: object): Promise<JobId>;
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
};

export type SeenRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
};

export const adminSecret = 'admin-of-the-session';
const sessionStartMs = Date.parse('2026-01-01T12:00:00.000Z');
const stepMs = 500;
/** While edges only say that they are there. */
const idleStepMs = 600_000;
const empty = Buffer.alloc(0);

export async function startServedFleet(): Promise<ServedFleet> {
  const stored = nothingStored();
  const clock = new FleetClock(sessionStartMs - 3_600_000);
  const api = createApiStage(createMemoryStores(stored), {
    adminToken: adminSecret,
    clock,
    random: numberedBytes(),
  });
  const fleet = new Fleet(stored, api, clock);
  await fleet.begin();
  const server = createServer((request, response) => {
    void fleet.answer(request).then((answer) => {
      response.writeHead(answer.status, answer.headers).end(answer.bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  api.services.files.serveAt(`http://127.0.0.1:${port}/store`);
  api.services.results.serveAt(`http://127.0.0.1:${port}/results`);
  return {
    url: `http://127.0.0.1:${port}`,
    api,
    seen: fleet.seen,
    drawn: fleet.drawn,
    nowMs: () => clock.nowMs(),
    submit: (body) => fleet.submit(body),
    pass: (ms) => fleet.pass(Math.round(ms)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class FleetClock {
  #nowMs: number;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  pass(ms: number): void {
    this.#nowMs += ms;
  }
}

class Fleet {
  readonly seen: SeenRequest[] = [];
  readonly drawn = new Map<string, string>();
  readonly #stored: Stored;
  readonly #api: ApiStage;
  readonly #clock: FleetClock;
  readonly #edges: WorkingEdge[] = [];

  constructor(stored: Stored, api: ApiStage, clock: FleetClock) {
    this.#stored = stored;
    this.#api = api;
    this.#clock = clock;
  }

  /**
   * Two edges that work and one that is lost; a job that is done, one that failed, one that waits.
   */
  async begin(): Promise<void> {
    this.#addTokens();
    for (const name of ['edge-10', 'edge-11', 'edge-12']) await this.#enrol(name);
    await this.pass(1_000);
    this.#lose('edge-12', sessionStartMs - 20 * 60_000);
    await this.#passUntil(sessionStartMs - 120_000);
    await this.submit({ name: 'render', power: 403 });
    const run = { process: { argv: ['sh', '-c', '[ $EDGEWISE_CHUNK = 0 ] || exit 42'] } };
    await this.submit({ name: 'broken', power: 200, chunks: 2, run });
    await this.submit({ name: 'stuck', power: 100, requires: { labels: { site: 'moon' } } });
    await this.pass(60_000);
    await this.#passUntil(sessionStartMs);
  }

  async submit(body: object): Promise<JobId> {
    const { json, status, text } = await this.#api.request('POST', '/v1/jobs', { body });
    if (status !== 202) throw new Error(text);
    await this.#api.settle();
    return json.id;
  }

  /** In steps that are small while somebody has something to do. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; ) {
      const step = Math.min(left, this.#isIdle() ? idleStepMs : stepMs);
      left -= step;
      this.#clock.pass(step);
      for (const edge of this.#edges) await edge.work(this.#clock.nowMs());
      await this.#api.settle();
    }
  }

  async answer(request: IncomingMessage) {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { method = 'GET', url: path = '/' } = request;
    const raw = Buffer.concat(parts);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    if (path.startsWith('/results/')) {
      const bytes = this.#api.services.results.get(`http://store${path}`);
      return { status: bytes === null ? 404 : 200, headers: {}, bytes: bytes ?? Buffer.alloc(0) };
    }
    // Events come by the time of day, and here only that of commands passes.
    if (path.startsWith('/v1/events?job=')) return { status: 404, headers: {}, bytes: empty };
    if (path.startsWith('/store/')) {
      const url = `http://store${path}`;
      const status = this.#api.services.files.put({ url, headers }, raw);
      return { status, headers: {}, bytes: Buffer.alloc(0) };
    }
    this.seen.push({ method, path, headers, body: bodyOf(raw) });
    const body = raw.length === 0 ? {} : { raw };
    const answer = await this.#api.request(method, path, { token: null, headers, ...body });
    if (method === 'POST' && path === '/v1/tokens' && answer.status === 201) {
      this.drawn.set(answer.json.secret, 'ew_shown_once');
      // As long as what it stands for, for the sake of tables.
      this.drawn.set(answer.json.id, 'token-id-when-made');
    }
    if (method === 'POST' && path === '/v1/edges' && answer.status === 201) {
      const { secret, token, submitToken } = answer.json;
      this.drawn.set(secret, 'ew_of_the_edge');
      if (submitToken !== undefined) this.drawn.set(submitToken, 'ew_to_submit');
      this.drawn.set(token, 'token-id-when-made');
    }
    if (method !== 'GET' && answer.status < 400) await this.#api.settle();
    return answer;
  }

  async #enrol(name: string): Promise<void> {
    const files = { cacheBytes: 1e9, sendsFiles: true };
    const able = { ...files, parameters: true, chunkOffsets: true, services: true };
    const cache = name === 'edge-11' ? able : {};
    const facts = { ...cache, arch: 'x86_64', os: { name: 'debian', version: '12' } };
    const body = { name, capacity: { power: 250 }, labels: { site: 'north' }, facts };
    const { json, status, text } = await this.#api.request('POST', '/v1/edges', { body });
    if (status !== 201) throw new Error(text);
    this.#edges.push(new WorkingEdge(this.#api, name, json.secret, (...of) => this.#fateOf(...of)));
  }

  #addTokens(): void {
    for (const [id, name, secret, scopes] of [
      ['t0', 'reader', 'reader-of-the-session', ['jobs:read', 'edges:read']],
      ['t1', 'ci', 'ci-of-the-session', ['jobs:write']],
    ] as const) {
      const token = {
        ...{ id, name, scopes, pool: null, queue: null, edge: null, edges: null },
        ...{ createdAtMs: this.#clock.nowMs(), createdBy: 'token:admin' },
        ...{ usesLeft: null, expiresAtMs: null },
        hash: hashOfSecret(secret),
      };
      this.#stored.credentials.set(token.hash, { kind: 'token', token });
    }
  }

  /** It says nothing any more, and a pass has called it lost. */
  #lose(name: string, atMs: number): void {
    const at = this.#edges.findIndex((edge) => edge.name === name);
    this.#edges.splice(at, 1);
    for (const cell of this.#stored.cells.keys()) {
      changeEdge(this.#stored, cell, edgeNameOf(name), (edge) => {
        const { poll: _poll, ...report } = edge.report!;
        const gone = { ...report, connected: false, receivedAtMs: atMs, connectionAtMs: atMs };
        return { ...edge, report: gone, work: { ...(edge.work ?? noEdgeWork), lostAtMs: atMs } };
      });
    }
  }

  async #passUntil(atMs: number): Promise<void> {
    await this.pass(atMs - this.#clock.nowMs());
  }

  #isIdle(): boolean {
    return [...this.#stored.cells.values()].every(({ edges, jobs }) => {
      const leases = [...edges.values()].flatMap(({ work }) => [...(work?.leases.values() ?? [])]);
      const isAtWork = leases.some(({ ranges }) => !isEmpty(ranges));
      return !isAtWork && [...jobs.values()].every(({ slice }) => slice.retries.size === 0);
    });
  }

  /**
   * A chunk takes a second; `sleep N` as long as it says; what fails says why, and is well again
   * when a user retries it.
   */
  #fateOf(job: JobId, chunk: number, attempt: number): Fate {
    const run = this.#stored.jobs.get(job)?.job?.spec.run;
    const argv = run !== undefined && 'process' in run ? run.process.argv : [];
    const spec = this.#stored.jobs.get(job)?.job?.spec;
    if (argv[0] === 'broken-web' && attempt <= 3) {
      return { ms: 500, failure: 3, output: null, isInstance: true };
    }
    if (spec?.restart !== undefined) {
      return { ms: Number.POSITIVE_INFINITY, failure: null, output: null, isInstance: true };
    }
    const ms = argv[0] === 'sleep' ? 1_000 * Number(argv[1]) : 1_000;
    if (argv[0] === 'false') return { ms, failure: 1, output: null };
    const isBroken = argv.at(-1)?.includes('exit 42') === true && chunk > 0 && attempt <= 3;
    if (isBroken) return { ms, failure: 42, output: 'reading input\nfatal: disk full\n' };
    if (this.#stored.jobs.get(job)?.job?.spec.outputs === undefined) {
      return { ms, failure: null, output: null };
    }
    const files = { 'result/same': 'same\n', [`result/${chunk}.csv`]: `${chunk},1\n` };
    return { ms, failure: null, output: null, files };
  }
}

/** `0…1`, `0…2`, …: what is made of it sorts as it was made. */
function numberedBytes() {
  let drawn = 0;
  return {
    bytes(count: number): Uint8Array {
      drawn += 1;
      const digits = drawn.toString(36).padStart(count, '0');
      return Uint8Array.from([...digits].map((digit) => Number.parseInt(digit, 36)));
    },
  };
}

function bodyOf(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    return raw.toString('utf8');
  }
}
