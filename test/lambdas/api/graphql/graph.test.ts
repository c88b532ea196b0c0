import { beforeAll, expect, test } from 'vitest';
import { simulatedStores } from '../../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/**
 * The graph as its clients walk it: page by page, from any item, around the circle, with figures
 * that have names.
 */
let api: ApiStage;
let jobs: string[];

beforeAll(async () => {
  api = createApiStage(simulatedStores());
  const edge = { name: 'hub', capacity: { power: 100 } };
  const { secret } = (await api.request('POST', '/v1/edges', { body: edge })).json;
  const body = { b: 'boot', e: 0, n: 1, f: 100, w: {} };
  await api.request('POST', '/v1/edges/hub/report', { token: secret, body });
  jobs = [];
  for (let at = 0; at < 4; at++) {
    jobs.push((await api.request('POST', '/v1/jobs', { body: { chunks: 2 } })).json.id);
  }
  await api.settle();
});

async function ask(query: string, variables: object = {}) {
  const answer = await api.request('POST', '/graphql', { body: { query, variables } });
  expect(answer.json.errors, answer.text).toBeUndefined();
  return answer.json.data;
}

test('every item has a cursor that a page can go on from', async () => {
  const query = 'query($after:String){jobs(first:3,after:$after){edges{cursor node{id}}}}';
  const first = (await ask(query)).jobs.edges;
  expect(first.map((it: { node: { id: string } }) => it.node.id)).toEqual(
    jobs.toReversed().slice(0, 3),
  );
  const { edges } = (await ask(query, { after: first[0].cursor })).jobs;
  expect(edges.map((it: { node: { id: string } }) => it.node.id)).toEqual(
    jobs.toReversed().slice(1),
  );
});

test('edges and executions have cursors, too', async () => {
  const data = await ask(`{
    edges { edges { cursor node { name } } pageInfo { hasNextPage endCursor } }
    job(id: "${jobs[0]}") { executions { edges { cursor node { edgeName } } } }
  }`);
  const [edge] = data.edges.edges;
  const [execution] = data.job.executions.edges;
  expect([edge.node.name, execution.node.edgeName]).toEqual(['hub', 'hub']);
  const after = await ask(
    `query($edge:String,$execution:String){
      edges(after:$edge){nodes{name}}
      job(id:"${jobs[0]}"){executions(after:$execution){nodes{edgeName}}}
    }`,
    { edge: edge.cursor, execution: execution.cursor },
  );
  expect(after).toEqual({ edges: { nodes: [] }, job: { executions: { nodes: [] } } });
});

test('the way from a job to its edges and their leases leads back to jobs', async () => {
  const data = await ask(`{job(id:"${jobs[0]}"){executions{nodes{edge{leases{job{id}}}}}}}`);
  const [execution] = data.job.executions.nodes;
  const leased = execution.edge.leases.map((it: { job: { id: string } }) => it.job.id);
  expect(leased.sort()).toEqual([...jobs].sort());
});

test('figures are asked for by name, and are those of the statistics', async () => {
  const { stats } = await ask(`{stats{
    jobs{waiting pending scheduled running done failed cancelled total}
    chunks{pending scheduled running done dead cancelled total}
    edges{total connected disconnected lost busy free cordoned}
    power{total free reserved served} rates{jobsPerMinute chunksPer10Seconds}
    unreadableRows cells{id pool edges free backlogPower}}}`);
  expect(stats).toEqual((await api.request('GET', '/v1/stats')).json);
  const asked = 'state percent chunks{total scheduled} receipt{usd} waiting{reason examples}';
  const { job } = await ask(`{job(id:"${jobs[0]}"){status{${asked}}}}`);
  expect(job.status).toMatchObject({ state: 'scheduled', chunks: { total: 2, scheduled: 2 } });
  const { edge } = await ask('{edge(name:"hub"){totals{chunksDone powerServed} free}}');
  expect(edge).toEqual({ totals: { chunksDone: 0, powerServed: 0 }, free: { power: 92 } });
});

test('what clients send beside the query does not disturb', async () => {
  const body = { query: '{__typename}', variables: null, operationName: null, extensions: {} };
  const answer = await api.request('POST', '/graphql', { body });
  expect([answer.status, answer.json]).toEqual([200, { data: { __typename: 'Query' } }]);
});

test('an edge whose capacity was made smaller than its work has nothing free', async () => {
  const answer = await api.request('PATCH', '/v1/edges/hub', { body: { capacity: { power: 3 } } });
  expect(answer.json).toMatchObject({ capacity: { power: 3 }, free: { power: 0 } });
});

test('a document that cannot be run is refused in the form that the contract says', async () => {
  const answer = await api.request('POST', '/graphql', { body: { query: '0' } });
  expect(answer.status).toBe(400);
  const { paths } = (await api.request('GET', '/openapi.json', { token: null })).json;
  const { content } = paths['/graphql'].post.responses[400];
  expect(Object.keys(content)).toEqual(['application/problem+json', 'application/json']);
  expect(Object.keys(content)).toContain(answer.headers['content-type']);
});
