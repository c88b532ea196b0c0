import { describe, expect, test } from 'vitest';
import { chunksOf } from '../../../../core/model/ranges.ts';
import type { EdgesStore } from '../../../../core/ports/edges.ts';
import { parseProgressReport } from '../../../../core/protocol/progress-report.ts';
import { WorkingEdge } from '../../../cli/api/working-edge.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { seededRandom } from '../../../sim/seeded-random.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/** Two pools that there are, and edges that work by the clock of the test. */
class Place {
  nowMs = Date.parse('2026-01-01T12:00:00Z');
  readonly api: ApiStage;
  readonly edges: WorkingEdge[] = [];
  /** How often each chunk came to its end on an edge. */
  readonly runs = new Map<string, number>();
  /** The edges on which each chunk has begun. */
  readonly starters = new Map<string, ReadonlySet<string>>();

  /** What happens between the look at an edge and its move. */
  meanwhile: () => Promise<void> = async () => undefined;

  constructor() {
    const stores = createMemoryStores();
    const { inCell } = stores.edges;
    const edges: EdgesStore = {
      ...stores.edges,
      inCell: async (cell, edge) => {
        const seen = await inCell(cell, edge);
        await this.meanwhile();
        return seen;
      },
    };
    this.api = createApiStage({ ...stores, edges }, { clock: { nowMs: () => this.nowMs } });
  }

  async begin(edges: number): Promise<void> {
    for (const pool of ['default', 'hpc'])
      await this.api.request('PUT', `/v1/pools/${pool}`, { body: {} });
    for (let at = 0; at < edges; at++) {
      const name = `edge-${at}`;
      const body = { name, pool: at % 2 === 0 ? 'default' : 'hpc', capacity: { power: 40 } };
      const { json } = await this.api.request('POST', '/v1/edges', { body });
      const fate = { ms: 1_000, failure: null, output: 'ran\n' };
      this.edges.push(new WorkingEdge(this.#counted(name), name, json.secret, () => fate));
    }
    await this.step();
  }

  /** An output is kept when a chunk has run, and reports say what has begun to run. */
  #counted(edge: string): ApiStage {
    const { api, runs } = this;
    return {
      ...api,
      request: (method, path, request) => {
        const chunk = method === 'PUT' ? /^(.*)\/output/.exec(path)?.[1] : undefined;
        if (chunk !== undefined) runs.set(chunk, (runs.get(chunk) ?? 0) + 1);
        const report = path.endsWith('/report') ? parseProgressReport(request?.body) : null;
        for (const [job, { running }] of report?.jobs ?? []) {
          for (const at of chunksOf(running)) this.#begun(`${job}/${at}`, edge);
        }
        return api.request(method, path, request);
      },
    };
  }

  #begun(chunk: string, edge: string): void {
    this.starters.set(chunk, new Set(this.starters.get(chunk)).add(edge));
  }

  async step(ms = 500): Promise<void> {
    this.nowMs += ms;
    for (const edge of this.edges) await edge.work(this.nowMs);
    await this.api.settle();
  }

  async submit(pool: string, chunks: number): Promise<string> {
    const body = { pool, chunks, chunkPower: 10, run: { process: { argv: ['true'] } } };
    const { json, status, text } = await this.api.request('POST', '/v1/jobs', { body });
    expect(status, text).toBe(202);
    await this.api.settle();
    return json.id;
  }

  patch(edge: string, body: object, token?: string) {
    const path = `/v1/edges/${edge}`;
    return this.api.request('PATCH', path, token === undefined ? { body } : { body, token });
  }

  async poolOf(edge: string): Promise<string> {
    return (await this.api.request('GET', `/v1/edges/${edge}`)).json.pool;
  }

  async stateOf(job: string) {
    return (await this.api.request('GET', `/v1/jobs/${job}`)).json.status;
  }
}

async function makePlace(edges: number): Promise<Place> {
  const place = new Place();
  await place.begin(edges);
  return place;
}

describe('an edge that is moved', () => {
  test('works for the pool that it is moved to, with the secret that it has', async () => {
    const place = await makePlace(1);
    await place.submit('default', 3);
    for (let steps = 0; steps < 6; steps++) await place.step();
    const job = await place.submit('hpc', 5);
    await place.step();
    expect((await place.stateOf(job)).state).toBe('pending');
    const moved = await place.patch('edge-0', { pool: 'hpc', labels: { rack: '7' } });
    expect(moved.status, moved.text).toBe(200);
    expect(moved.json).toMatchObject({ pool: 'hpc', cell: 'hpc.0', labels: { rack: '7' } });
    expect(moved.json.totals.chunksDone).toBe(3);
    for (let steps = 0; steps < 8; steps++) await place.step();
    expect((await place.stateOf(job)).state).toBe('done');
    expect([...place.runs.values()]).toEqual(Array(8).fill(1));
    const { items } = (await place.api.request('GET', '/v1/pools')).json;
    expect(items.map((it: { name: string; edges: number }) => [it.name, it.edges])).toEqual([
      ['default', 0],
      ['hpc', 1],
    ]);
  });

  test('stays while it has work, and goes when it is drained', async () => {
    const place = await makePlace(1);
    const job = await place.submit('default', 12);
    await place.step();
    const refused = await place.patch('edge-0', { pool: 'hpc' });
    expect(refused.status).toBe(409);
    expect(refused.json.detail).toBe('This edge has work: drain it first.');
    await place.api.request('POST', '/v1/edges/edge-0/drain', { body: {} });
    for (let steps = 0; steps < 6; steps++) await place.step();
    expect((await place.patch('edge-0', { pool: 'hpc', cordoned: false })).status).toBe(200);
    expect((await place.patch('edge-0', { pool: 'default' })).status).toBe(200);
    for (let steps = 0; steps < 20; steps++) await place.step();
    expect((await place.stateOf(job)).state).toBe('done');
    expect([...place.runs.values()]).toEqual(Array(12).fill(1));
  });

  test('goes to a pool that there is, by who may see both', async () => {
    const place = await makePlace(1);
    expect((await place.patch('edge-0', { pool: 'hcp' })).json).toMatchObject({
      status: 400,
      errors: [{ pointer: '/pool', message: 'There is no pool "hcp".' }],
    });
    const body = { name: 'ops', scopes: ['edges:read', 'edges:write'], pool: 'default' };
    const { secret } = (await place.api.request('POST', '/v1/tokens', { body })).json;
    expect((await place.patch('edge-0', { pool: 'hpc' }, secret)).status).toBe(403);
    expect((await place.patch('edge-0', { pool: 'default' }, secret)).status).toBe(200);
    expect(await place.poolOf('edge-0')).toBe('default');
    const headers = { 'if-match': '"9-x"' };
    const path = '/v1/edges/edge-0';
    const stale = { body: { pool: 'hpc' }, headers };
    expect((await place.api.request('PATCH', path, stale)).status).toBe(412);
    const pull = { name: 'taker', capacity: { power: 1 }, mode: 'pull' };
    await place.api.request('POST', '/v1/edges', { body: pull });
    expect((await place.patch('taker', { pool: 'hpc' })).status).toBe(409);
  });

  test.each([1, 2, 3, 4])(
    'back and forth under jobs of both pools, each chunk runs once (seed %i)',
    async (seed) => {
      const random = seededRandom(seed);
      const place = await makePlace(6);
      const jobs = [await place.submit('default', 20), await place.submit('hpc', 20)];
      let [chunks, moves] = [40, 0];
      // A pass gives the edge work while its user moves it.
      place.meanwhile = async () => {
        if (random.chance(0.6)) return;
        jobs.push(await place.submit(random.pick(['default', 'hpc']), 4));
        chunks += 4;
      };
      for (let steps = 0; steps < 60; steps++) {
        const edge = `edge-${random.between(0, 5)}`;
        const act = random.pick(['drain', 'open', 'move', 'move'] as const);
        if (act === 'drain')
          await place.api.request('POST', `/v1/edges/${edge}/drain`, { body: {} });
        else if (act === 'open') await place.patch(edge, { cordoned: false });
        else {
          const pool = (await place.poolOf(edge)) === 'hpc' ? 'default' : 'hpc';
          const { status, text } = await place.patch(edge, { pool, cordoned: false });
          expect([200, 409], text).toContain(status);
          if (status === 200) moves += 1;
        }
        if (random.chance(0.7)) await place.step();
      }
      place.meanwhile = async () => undefined;
      for (const [at, { name }] of place.edges.entries()) {
        await place.patch(name, { cordoned: false });
        const pool = at % 2 === 0 ? 'default' : 'hpc';
        for (let tries = 0; tries < 400 && (await place.poolOf(name)) !== pool; tries++) {
          await place.patch(name, { pool });
          if ((await place.poolOf(name)) !== pool) await place.step();
        }
      }
      for (let steps = 0; steps < 200; steps++) {
        const states = await Promise.all(jobs.map((job) => place.stateOf(job)));
        if (states.every(({ state }) => state === 'done')) break;
        await place.step();
      }
      const states = await Promise.all(jobs.map((job) => place.stateOf(job)));
      expect(new Set(states.map(({ state }) => state))).toEqual(new Set(['done']));
      expect(moves).toBeGreaterThan(3);
      expect(place.runs.size).toBe(chunks);
      expect([...place.runs].filter(([, times]) => times !== 1)).toEqual([]);
      expect([...place.starters].filter(([, edges]) => edges.size !== 1)).toEqual([]);
    },
  );
});
