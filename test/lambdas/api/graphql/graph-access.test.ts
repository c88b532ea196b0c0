import { beforeAll, expect, test } from 'vitest';
import { scopes } from '../../../../core/contract/scopes.ts';
import { graphSchema } from '../../../../lambdas/api/graphql/schema.ts';
import { simulatedStores } from '../../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/**
 * The graph opens nothing that REST keeps closed: whoever asks, each field is refused with the very
 * code that the request of the same operation gets, and sees a thing only where that does.
 */
let api: ApiStage;
let job: string;

/** Who asks, by what they are: one scope each, all scopes in another place, an edge, nobody. */
const callers = new Map<string, string | null>([['nobody', null]]);

beforeAll(async () => {
  api = createApiStage(simulatedStores());
  const edge = { name: 'hub', pool: 'north', capacity: { power: 100 } };
  const { secret } = (await api.request('POST', '/v1/edges', { body: edge })).json;
  const body = { b: 'boot', e: 0, n: 1, f: 100, w: {} };
  await api.request('POST', '/v1/edges/hub/report', { token: secret, body });
  const submitted = { chunks: 2, pool: 'north', queue: 'night' };
  job = (await api.request('POST', '/v1/jobs', { body: submitted })).json.id;
  await api.settle();
  callers.set('the edge', secret);
  const limits = [{}, { pool: 'north' }, { pool: 'south' }, { queue: 'night' }, { queue: 'day' }];
  for (const scope of scopes) await addCaller([scope], {});
  for (const limit of limits) await addCaller(scopes, limit);
});

async function addCaller(own: readonly string[], limit: object): Promise<void> {
  const name = [...own, ...Object.values(limit)].join('-').slice(-60);
  const enrols = own.includes('edges:enrol') ? { ttlSeconds: 600 } : {};
  const body = { name, scopes: own, ...limit, ...enrols };
  const made = await api.request('POST', '/v1/tokens', { body });
  expect(made.status, made.text).toBe(201);
  callers.set(JSON.stringify({ own, limit }), made.json.secret);
}

type Way = {
  readonly field: string;
  readonly rest: readonly [method: string, path: string, body?: unknown];
};

/** Every field of the graph's root, and the ways between nodes, with the request for the same. */
const ways = (): readonly Way[] => [
  { field: `job(id: "${job}") { id }`, rest: ['GET', `/v1/jobs/${job}`] },
  { field: 'jobs { nodes { id } }', rest: ['GET', '/v1/jobs'] },
  { field: 'jobs(pool: "north") { nodes { id } }', rest: ['GET', '/v1/jobs?pool=north'] },
  { field: 'jobs(queue: "night") { nodes { id } }', rest: ['GET', '/v1/jobs?queue=night'] },
  { field: 'jobs(edge: "hub") { nodes { id } }', rest: ['GET', '/v1/jobs?edge=hub'] },
  { field: 'edge(name: "hub") { name }', rest: ['GET', '/v1/edges/hub'] },
  { field: 'edges { nodes { name } }', rest: ['GET', '/v1/edges'] },
  { field: 'edges(pool: "north") { nodes { name } }', rest: ['GET', '/v1/edges?pool=north'] },
  { field: 'stats { jobs { total } }', rest: ['GET', '/v1/stats'] },
];

const place = { pool: 'north', queue: 'night' };

const changes = (): readonly Way[] => [
  {
    field: 'submit(job: { chunks: 1, pool: "north", queue: "night" }) { id }',
    rest: ['POST', '/v1/jobs', { chunks: 1, ...place }],
  },
  { field: `cancel(id: "${job}") { id }`, rest: ['DELETE', `/v1/jobs/${job}`] },
  {
    field: `cancelChunks(id: "${job}", ranges: "0") { id }`,
    rest: ['DELETE', `/v1/jobs/${job}/chunks?ranges=0`],
  },
  { field: 'cordon(edge: "hub") { name }', rest: ['PATCH', '/v1/edges/hub', { cordoned: true }] },
  {
    field: 'uncordon(edge: "hub") { name }',
    rest: ['PATCH', '/v1/edges/hub', { cordoned: false }],
  },
  { field: 'drain(edge: "hub") { name }', rest: ['POST', '/v1/edges/hub/drain', {}] },
];

/** What came of it over REST: the code of the refusal, or what is seen. */
async function overRest({ rest: [method, path, body] }: Way, token: string | null) {
  const answer = await api.request(method, path, {
    token,
    ...(body === undefined ? {} : { body }),
  });
  if (answer.status >= 400) return { code: answer.json.code };
  return { seen: seenIn(answer.json.items ?? [answer.json]) };
}

async function overGraph(kind: string, { field }: Way, token: string | null) {
  const body = { query: `${kind} { field: ${field} }` };
  const answer = await api.request('POST', '/graphql', { token, body });
  if (answer.status >= 400 && answer.json.code !== undefined) return { code: answer.json.code };
  const [error] = answer.json.errors ?? [];
  if (error !== undefined) return { code: error.extensions?.code };
  const { field: found } = answer.json.data;
  return found === null ? { code: 'not-found' } : { seen: seenIn(found.nodes ?? [found]) };
}

/** Names and ids of what is there already; a submitted job has an id of its own each time. */
function seenIn(items: readonly { id?: string; name?: string }[]): string[] {
  const known = [job, 'hub'];
  return items.map((it) => it.id ?? it.name ?? '').filter((it) => known.includes(it));
}

test.each(['query', 'mutation'])('whom REST refuses a %s, the graph refuses it', async (kind) => {
  let refused = 0;
  let granted = 0;
  for (const [caller, token] of callers) {
    for (const way of kind === 'query' ? ways() : changes()) {
      const rest = await overRest(way, token);
      // The whole graph is closed to edges, which may read themselves over REST.
      const expected = caller === 'the edge' ? { code: 'forbidden' } : rest;
      expect(await overGraph(kind, way, token), `${caller}: ${way.field}`).toEqual(expected);
      if ('code' in rest) refused++;
      else granted++;
    }
  }
  expect(refused).toBeGreaterThan(10);
  expect(granted).toBeGreaterThan(10);
});

test('every field of the graph is among them', () => {
  const names = (list: readonly Way[]) => list.map(({ field }) => /^\w+/.exec(field)![0]);
  const queries = Object.keys(graphSchema.getQueryType()!.getFields());
  const mutations = Object.keys(graphSchema.getMutationType()!.getFields());
  expect([...new Set(names(ways()))].sort()).toEqual(queries.sort());
  expect([...new Set(names(changes()))].sort()).toEqual(mutations.sort());
});

test('the way from one node to the next opens nothing either', async () => {
  const walks = [
    {
      scope: 'jobs:read',
      query: `{ job(id: "${job}") { executions { nodes { edge { name } } } } }`,
    },
    { scope: 'edges:read', query: '{ edge(name: "hub") { leases { job { id } } } }' },
    { scope: 'edges:read', query: '{ edge(name: "hub") { jobs { nodes { id } } } }' },
  ];
  for (const { scope, query } of walks) {
    const token = callers.get(JSON.stringify({ own: [scope], limit: {} }))!;
    const { json } = await api.request('POST', '/graphql', { token, body: { query } });
    const text = JSON.stringify(json.data);
    expect(text).not.toContain(scope === 'jobs:read' ? '"hub"' : job);
  }
});
