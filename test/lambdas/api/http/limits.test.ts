import { beforeAll, describe, expect, test } from 'vitest';
import * as limits from '../../../../core/model/limits.ts';
import { simulatedStores } from '../../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/** Each limit of a body: what is just allowed, and one beyond. */
let api: ApiStage;

beforeAll(async () => {
  api = createApiStage(simulatedStores());
});

const labels = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`l${at}`, 'x']));
const amounts = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`r${at}`, 1]));
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const expression = { key: 'a', op: 'exists' };
const argv = (count: number) => ({ run: { process: { argv: times(count, 'x') } } });
const named = (count: number) => ({ name: 'n'.repeat(count) });
const env = (count: number) => {
  const names = Array.from({ length: count }, (_, at) => [`V${at}`, 'x']);
  return { run: { process: { argv: ['x'], env: Object.fromEntries(names) } } };
};

const jobLimits: readonly [string, number, (at: number) => unknown][] = [
  ['the length of a name', limits.nameLengthMax, named],
  ['power', limits.powerMax, (power) => ({ power })],
  ['power of a chunk', limits.powerMax, (chunkPower) => ({ chunkPower })],
  ['chunks', limits.chunksMax, (chunks) => ({ chunks })],
  ['priority', limits.priorityMax, (priority) => ({ priority })],
  ['attempts', limits.attemptsMax, (attempts) => ({ retries: { attempts } })],
  ['backoff', limits.backoffSecondsMax, (it) => ({ retries: { backoffSeconds: it } })],
  ['labels', limits.jobLabelsMax, (count) => ({ labels: labels(count) })],
  ['the length of a label', limits.labelLengthMax, (it) => ({ labels: { a: 'x'.repeat(it) } })],
  [
    'the length of a label key',
    limits.labelKeyLengthMax,
    (it) => ({ labels: { ['k'.repeat(it)]: '' } }),
  ],
  ['resources', limits.resourcesMax, (count) => ({ resources: amounts(count) })],
  [
    'expressions',
    limits.expressionsMax,
    (it) => ({ requires: { expressions: times(it, expression) } }),
  ],
  ['words of a command', limits.argvItemsMax, argv],
  ['variables', limits.envEntriesMax, env],
  ['nodes of a gang', limits.gangNodesMax, (nodes) => ({ chunks: 100, placement: { nodes } })],
  ['the deadline', limits.deadlineSecondsMax, (deadlineSeconds) => ({ deadlineSeconds })],
  [
    'named edges',
    limits.requiredEdgesMax,
    (it) => ({
      requires: { edges: Array.from({ length: it }, (_, at) => `e${at}`) },
    }),
  ],
];

describe('of a job', () => {
  test.each(jobLimits)('%s', async (_, limit, bodyOf) => {
    const at = await api.request('POST', '/v1/jobs', { body: bodyOf(limit) });
    expect(at.status, at.text).toBe(202);
    const beyond = await api.request('POST', '/v1/jobs', { body: bodyOf(limit + 1) });
    expect([beyond.status, beyond.json.code]).toEqual([400, 'invalid-request']);
    expect(beyond.json.detail).not.toMatch(/Too big|Invalid|expected/);
  });

  test('the spec', async () => {
    const overhead = (await api.request('POST', '/v1/jobs', { body: argv(1) })).json.spec;
    const room = limits.specBytesMax - JSON.stringify(overhead).length + 1;
    const ofLength = (length: number) => ({ run: { process: { argv: ['x'.repeat(length)] } } });
    const at = await api.request('POST', '/v1/jobs', { body: ofLength(room) });
    expect(at.status, at.text.slice(0, 300)).toBe(202);
    const beyond = await api.request('POST', '/v1/jobs', { body: ofLength(room + 1) });
    expect([beyond.status, beyond.json.errors[0].pointer]).toEqual([400, '']);
  });

  test('the power of all its chunks', async () => {
    const chunkPower = limits.jobPowerMax / limits.chunksMax;
    const body = { chunks: limits.chunksMax, chunkPower };
    expect((await api.request('POST', '/v1/jobs', { body })).status).toBe(202);
    const more = { ...body, chunkPower: chunkPower + 1 };
    expect((await api.request('POST', '/v1/jobs', { body: more })).status).toBe(400);
  });
});

describe('of an edge', () => {
  const enrol = (name: string, body: object) =>
    api.request('POST', '/v1/edges', { body: { name, capacity: { power: 1 }, ...body } });

  test('labels and the bytes of its facts', async () => {
    expect((await enrol('l-1', { labels: labels(limits.edgeLabelsMax) })).status).toBe(201);
    expect((await enrol('l-2', { labels: labels(limits.edgeLabelsMax + 1) })).status).toBe(400);
    const facts = (bytes: number) => ({
      facts: Object.fromEntries(
        Array.from({ length: 9 }, (_, at) => [`f${at}`, 'x'.repeat(at < 8 ? 900 : bytes)]),
      ),
    });
    const room = limits.factsBytesMax - JSON.stringify(facts(0).facts).length;
    expect((await enrol('l-3', facts(room))).status).toBe(201);
    expect((await enrol('l-4', facts(room + 1))).status).toBe(400);
  });
});

describe('of the graph', () => {
  const ask = (query: string) => api.request('POST', '/graphql', { body: { query } });
  const nested = (depth: number): string =>
    depth === 0 ? 'name' : `leases{job{executions(first:1){nodes{edge{${nested(depth - 1)}}}}}}`;

  test('depth and cost', async () => {
    expect((await ask(`{edge(name:"x"){${nested(1)}}}`)).status).toBe(200);
    const deep = await ask(`{edge(name:"x"){${nested(3)}}}`);
    expect([deep.status, deep.json.errors[0].message]).toEqual([
      400,
      expect.stringContaining('nests'),
    ]);
    const dear = await ask('{jobs(first:500){nodes{executions(first:500){nodes{edge{name}}}}}}');
    expect([dear.status, dear.json.errors[0].message]).toEqual([
      400,
      expect.stringContaining('cost'),
    ]);
    const fragments = await ask('query{...a} fragment a on Query{...b} fragment b on Query{...a}');
    expect(fragments.status).toBe(400);
    const shape = await ask('{__schema{types{name fields{name type{name ofType{name}}}}}}');
    expect(shape.status).toBe(200);
  });
});
