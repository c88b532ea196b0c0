import { afterEach, beforeEach, expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import type { AgentSpec } from '../../../core/protocol/agent-spec.ts';
import { type EdgewiseExecutor, makeEdgewise } from '../../../edge-agent/executors/edgewise.ts';
import type { EndedChunk } from '../../../edge-agent/executors/executor.ts';
import type { LeftBelow } from '../../../edge-agent/federation/bring-results.ts';
import { makeDownstreamApi } from '../../../edge-agent/federation/downstream-api.ts';
import { type SiteWatch, watchSite } from '../../../edge-agent/federation/site.ts';
import { adminSecret, type ServedFleet, startServedFleet } from '../../cli/api/served-fleet.ts';
import { type HandClock, makeHandClock } from '../hand-clock.ts';

/** What an edge is given is done by the deployment below: its own handlers, passes and edges. */
let fleet: ServedFleet;
let clock: HandClock;
let ended: EndedChunk[];
let notes: Map<string, string>;
/** Of what was brought from below, and what is answered to the next ones. */
let brought: LeftBelow[];
let answers: (string | null | Error)[];
beforeEach(async () => {
  fleet = await startServedFleet();
  clock = makeHandClock();
  ended = [];
  notes = new Map();
  [brought, answers] = [[], []];
});
afterEach(() => fleet.close());

const job = jobIdOf('above');
const simulated = { simulate: { seconds: 1 } };

function makeSpec(run: AgentSpec['run'], more: Partial<AgentSpec> = {}): AgentSpec {
  return {
    ...{ id: 'above', hash: 'h', name: 'render', createdBy: 'token:1', run },
    ...{ chunks: 40, chunkPower: 10, lastChunkPower: 10 },
    ...{ resources: {}, keepOutput: 'failed', offlineSeconds: null },
    ...more,
  };
}

/** An agent's life: what an earlier one has written down is there. */
function begin(): EdgewiseExecutor {
  return makeEdgewise({
    clock,
    api: makeDownstreamApi(fleet.url, adminSecret),
    ...{
      pool: 'default',
      stages: { above: 'top', below: 'here' },
      log: () => {},
      changed: () => {},
    },
    specOf: () => null,
    bring: async (left) => {
      brought.push(left);
      const answer = answers.shift() ?? null;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    ended: (chunk) => {
      ended.push(chunk);
      chunk.taken?.();
    },
    notes: {
      all: () => notes,
      put: (key, value) => void notes.set(key, value),
      remove: (key) => void notes.delete(key),
    },
  });
}

function orders(spec: AgentSpec, from: number, to: number, attempt = 1) {
  return Array.from({ length: to - from }, (_, index) => {
    return { edge: 'site-b', job, chunk: from + index, attempt, power: 10, spec };
  });
}

/** While no request is under way, the time of the agent and that of the deployment pass. */
async function until(what: string, is: () => boolean): Promise<void> {
  const endMs = performance.now() + 20_000;
  while (!is()) {
    if (performance.now() > endMs) throw new Error(`still not: ${what}; ended: ${ended.length}`);
    if (clock.nextWaitMs() === null) await new Promise((resolve) => setImmediate(resolve));
    else {
      await fleet.pass(500);
      await clock.wind();
    }
  }
}

const puts = () => fleet.seen.filter(({ method }) => method === 'PUT');
const jobsBelow = () => new Set(puts().map(({ path }) => path)).size;
const chunksOf = (kind: string) =>
  ended.filter(({ end }) => end.kind === kind).map(({ name }) => name.chunk);

const isSettled = () => notes.size === 0;

test('what is given together is one job below, and each chunk of it ends once', async () => {
  const executor = begin();
  executor.start(orders(makeSpec(simulated), 3, 40));
  expect(executor.waits({ edge: 'site-b', job, chunk: 3, attempt: 1 })).toBe(true);
  await until('all have ended', () => ended.length === 37);
  expect(chunksOf('done').sort((a, b) => a - b)).toEqual(
    orders({} as never, 3, 40).map((it) => it.chunk),
  );
  expect(jobsBelow()).toBe(1);
  expect(puts()[0]!.body).toMatchObject({
    chunkOffsets: { numbers: '3-39', total: 40, job: 'above', path: ['top'] },
    retries: { attempts: 1 },
  });
  await until('nothing is noted', isSettled);
});

test('an agent that starts again goes on with the jobs below, and hands nothing over twice', async () => {
  const first = begin();
  const spec = makeSpec({ simulate: { seconds: 1 } }, { chunkPower: 100 });
  first.start(orders(spec, 0, 30).map((order) => ({ ...order, power: 100 })));
  await until('some have ended', () => ended.length > 3);
  expect(ended.length).toBeLessThan(30);
  void first.close();
  const before = puts().length;
  const second = begin();
  const survivors = await second.recover(['site-b']);
  expect(survivors.length + ended.length).toBe(30);
  expect((await second.recover(['site-b'])).length).toBe(0);
  second.resume();
  await until('all have ended', () => ended.length === 30);
  expect(new Set(chunksOf('done')).size).toBe(30);
  expect(puts().length).toBe(before);
  await until('nothing is noted', isSettled);
});

test('what was written down and never handed over has not run', async () => {
  const first = begin();
  first.start(orders(makeSpec(simulated), 0, 4));
  void first.close();
  const second = begin();
  expect((await second.recover(['site-b'])).length).toBe(4);
  second.resume();
  await until('they are given back', () => ended.length === 4);
  expect(chunksOf('stopped')).toEqual([0, 1, 2, 3]);
  second.start(orders(makeSpec(simulated), 0, 4));
  await until('they are done', () => chunksOf('done').length === 4);
});

test('a job that is stopped is cancelled below, and given again it is another one', async () => {
  const executor = begin();
  const given = orders(makeSpec(simulated), 0, 4);
  executor.start(given);
  await until('it is there', () => puts().length === 1);
  for (const order of given) executor.stop(order);
  expect(chunksOf('stopped')).toEqual([0, 1, 2, 3]);
  const cancelled = () => fleet.seen.some(({ method }) => method === 'DELETE');
  await until('it is cancelled', () => cancelled() && isSettled());
  executor.start(given);
  await until('it is done', () => chunksOf('done').length === 4);
  expect(jobsBelow()).toBe(2);
});

const isTakenBack = (ranges: string) => () =>
  fleet.seen.some(({ method, path }) => method === 'DELETE' && path.includes(`ranges=${ranges}`));

test('chunks that are taken back are cancelled below, and the job there ends by the others', async () => {
  const executor = begin();
  const given = orders(makeSpec({ simulate: { seconds: 30 } }), 10, 20);
  executor.start(given);
  await until('it is there', () => puts().length === 1);
  for (const order of given.slice(2, 5)) executor.stop(order);
  expect(chunksOf('stopped')).toEqual([12, 13, 14]);
  await until('they are cancelled', isTakenBack('2-4'));
  await until('the others are done', () => chunksOf('done').length === 7);
  expect(chunksOf('failed')).toEqual([]);
  const below = await fleet.api.request('GET', puts()[0]!.path);
  expect(below.json.status).toMatchObject({ state: 'done', chunks: { done: 7, cancelled: 3 } });
  await until('nothing is noted', isSettled);
});

test('an agent that is killed before it asked for that asks when it starts again', async () => {
  const first = begin();
  const given = orders(makeSpec({ simulate: { seconds: 30 } }), 0, 6);
  first.start(given);
  await until('it is there', () => puts().length === 1);
  first.stop(given[5]!);
  void first.close();
  const second = begin();
  expect((await second.recover(['site-b'])).map(({ chunk }) => chunk)).toEqual([0, 1, 2, 3, 4]);
  second.resume();
  await until('it is cancelled', isTakenBack('5'));
  await until('the others are done', () => chunksOf('done').length === 5);
});

test('what nothing below can run is refused, with the reason', async () => {
  const executor = begin();
  const run = { process: { argv: ['true'], env: {}, cwd: null, timeoutSeconds: null } };
  executor.start(orders(makeSpec(run, { resources: { gpus: 4 } }), 0, 4));
  await until('it is refused', () => executor.refusalOf('above') !== null);
  expect(executor.refusalOf('above')).toMatch(/^below: /);
  expect(chunksOf('stopped').length).toBe(4);
  await until('it is cancelled', isSettled);
});

test('what came from the deployment below is refused, and nothing is handed over', async () => {
  const executor = begin();
  const chunkOffsets = { numbers: '0-3', path: ['here'] };
  executor.start(orders(makeSpec(simulated, { chunkOffsets }), 0, 4));
  expect(chunksOf('stopped').length).toBe(4);
  expect(executor.refusalOf('above')).toMatch(/^below: federation-loop/);
  expect([notes.size, puts().length]).toEqual([0, 0]);
});

const shell = { process: { argv: ['true'], env: {}, cwd: null, timeoutSeconds: null } };
const outputs = { paths: ['*.txt'], on: 'done', maxMb: 10 } as const;

test('what chunks leave below is brought here before they end', async () => {
  const executor = begin();
  answers = [new Error('the store does not answer'), null, 'outputs: it is not stored'];
  executor.start(orders(makeSpec(shell, { outputs }), 0, 3));
  await until('all have ended', () => ended.length === 3);
  expect(puts()[0]!.body).toMatchObject({ outputs });
  expect([chunksOf('done').length, chunksOf('failed').length]).toEqual([2, 1]);
  expect(ended.find(({ end }) => end.kind === 'failed')?.end).toEqual({
    kind: 'failed',
    failure: 'outputs: it is not stored',
  });
  const [first, again] = brought;
  expect(again).toEqual(first);
  expect(new Set(brought.map(({ name }) => name.chunk)).size).toBe(3);
  expect(first).toMatchObject({ job: puts()[0]!.path.split('/').at(-1), reader: 'chunk' });
});

test('an agent that starts again knows that files are wanted', async () => {
  const first = begin();
  first.start(orders(makeSpec(shell, { outputs }), 0, 2));
  await until('it is there', () => puts().length === 1);
  void first.close();
  const second = begin();
  await second.recover(['site-b']);
  second.resume();
  await until('all have ended', () => ended.length === 2);
  expect(brought.length).toBe(2);
});

test('a pool as an edge: what takes work in it', async () => {
  const api = makeDownstreamApi(fleet.url, adminSecret);
  const end = new AbortController();
  const { signal } = end;
  const site = (await watchSite({
    api,
    pool: 'default',
    clock,
    log: () => {},
    signal,
  })) as SiteWatch;
  end.abort();
  expect(site.current()).toMatchObject({
    power: 500,
    edges: 2,
    labels: { site: 'north' },
    depth: 1,
  });
  expect(site.trouble()).toBeNull();
});
