import type { ApiAnswer, ApiRequest, ApiStage } from '../lambdas/api/api-stage.ts';

/** What the recipes know of clusters: a small graph, a subsystem on one of its nodes. */
export const twoNodes = {
  graph: {
    nodes: {
      0: { metadata: { type: 'cluster' } },
      1: { metadata: { type: 'node' } },
      2: { metadata: { type: 'node' } },
      3: { metadata: { type: 'core', size: 4 } },
    },
    edges: [
      { source: '0', target: '1', relation: 'contains' },
      { source: '0', target: '2', relation: 'contains' },
      { source: '1', target: '3', relation: 'contains' },
    ],
  },
};

export const oneNode = {
  graph: {
    nodes: { 0: { metadata: { type: 'cluster' } }, 1: { metadata: { type: 'node' } } },
    edges: [{ source: '0', target: '1', relation: 'contains' }],
  },
};

export const ioOnTwo = {
  graph: {
    nodes: { io: { metadata: { type: 'io' } }, shm: { metadata: { type: 'shm' } } },
    edges: [{ source: '2', target: 'shm', relation: 'contains' }],
  },
};

export async function makeCluster(api: ApiStage, name: string): Promise<void> {
  const body = { name, nodes: twoNodes, subsystems: { io: ioOnTwo } };
  await api.request('POST', '/v1/edges', { body });
}

type Send = (api: ApiStage, name: string) => Promise<ApiAnswer>;

const send =
  (method: string, path: string, request: ApiRequest = {}): Send =>
  (api, name) =>
    api.request(method, `/v1/edges/${name}${path}`, request);

const again =
  (path: string): Send =>
  async (api, name) => {
    const { headers } = await send('GET', path)(api, name);
    const known = { headers: { 'if-none-match': headers.etag ?? '' } };
    return send('GET', path, known)(api, name);
  };

/** Each on a cluster of its own. */
export const clusterSuccesses: Readonly<Record<string, Readonly<Record<number, Send>>>> = {
  getNodes: { 200: send('GET', '/nodes'), 304: again('/nodes') },
  putNodes: { 200: send('PUT', '/nodes', { body: twoNodes }) },
  uploadNodes: {
    201: send('POST', '/nodes:upload', { body: { sha256: 'a'.repeat(64), bytes: 1 } }),
  },
  removeNodes: { 204: send('DELETE', '/nodes') },
  listSubsystems: { 200: send('GET', '/subsystems') },
  getSubsystem: { 200: send('GET', '/subsystems/io'), 304: again('/subsystems/io') },
  putSubsystem: {
    200: send('PUT', '/subsystems/io', { body: ioOnTwo }),
    201: send('PUT', '/subsystems/disks', { body: ioOnTwo }),
  },
  removeSubsystem: { 204: send('DELETE', '/subsystems/io') },
  getState: { 200: send('GET', '/state'), 304: again('/state') },
  putState: { 200: send('PUT', '/state', { body: { nodes_free: 2 } }) },
  listOffers: { 200: send('GET', '/offers') },
  createSubmitToken: { 201: send('POST', '/submit-tokens', { body: { name: 'ci' } }) },
};

export const clusterClashes: Readonly<Record<string, Send>> = {
  putNodes: send('PUT', '/nodes', { body: oneNode }),
  putSubsystem: async (api, name) => {
    await send('DELETE', '/nodes')(api, name);
    return send('PUT', '/subsystems/io', { body: ioOnTwo })(api, name);
  },
  createSubmitToken: async (api, name) => {
    const more = send('POST', '/submit-tokens', { body: { name: 'ci' } });
    let answer = await more(api, name);
    for (let made = 1; made < 20 && answer.status === 201; made++) answer = await more(api, name);
    return answer;
  },
};
