/**
 * Bodies that fit a route, by its operation: what is refused at the first look tests little more
 * than that look, so most generated requests begin with one of these, whole or a little spoilt.
 */
const job = {
  name: 'render',
  power: 403,
  chunks: 4,
  resources: { cores: 1 },
  run: { process: { argv: ['sh', '-c', 'true'], env: { A: 'b' }, timeoutSeconds: 5 } },
  requires: { labels: { a: 'b' }, expressions: [{ key: 'os', op: 'in', value: ['a'] }] },
  placement: { policy: 'pack', maxEdges: 2 },
  retries: { attempts: 2 },
  labels: { team: 'a' },
};
const jobs: readonly unknown[] = [
  job,
  { power: 403 },
  { chunkPower: 10, chunks: 10_000_000, placement: { nodes: 2 }, priority: 100 },
  { chunks: 3, deadlineSeconds: 60, offlineSeconds: 60, keepOutput: 'all', run: { simulate: {} } },
  { chunks: 2, run: { container: { image: 'busybox', argv: ['true'] } }, queue: 'default' },
];
const jobspec = {
  version: 1,
  resources: { one: { type: 'core', count: 2 }, two: { type: 'slot', replicas: 2, with: [] } },
  requires: { all: [{ name: 'system', field: 'os', match: 'linux' }] },
  groups: [{ name: 'g', resources: 'one', tasks: [{ command: 'echo g', local: true }] }],
  tasks: [
    { name: 'a', command: ['true'], resources: 'one|two', requires: 'all' },
    { name: 'b', command: 'echo b', resources: 'one', depends_on: ['a'] },
    { group: 'g', depends_on: ['b'] },
  ],
};
const priorities = [{ priority: 1, steps: [{ filter: 'nodes_free > 0' }, { select: 'first' }] }];
const jobspecs = [
  jobspec,
  { jobspec, clusters: ['blue'], select: { algorithm: 'constraint', priorities } },
  { simple: { nodes: 1, tasks: 2, command: 'hostname' } },
];
const graph = (query: string, variables: object = {}) => ({ query, variables });

export const fittingBodies: Readonly<Record<string, readonly unknown[]>> = {
  planJob: jobs,
  submitJob: jobs,
  putJob: jobs,
  patchJob: [{ priority: 3, labels: { x: 'y' }, retries: { attempts: 4 } }, {}],
  submitJobspec: jobspecs,
  satisfyJobspec: jobspecs,
  patchEdge: [{ labels: { a: 'b' }, capacity: { power: 9 }, cordoned: true, reason: 'why' }],
  drainEdge: [{ reason: 'new disk', deadlineSeconds: 60 }],
  enrolEdge: [
    { name: 'edge-2', capacity: { power: 5 }, labels: { a: 'b' }, facts: { os: { name: 'x' } } },
  ],
  putReport: [
    { b: 'boot', e: 1, n: 5, f: 3, w: { job: { d: '0-1', x: { 2: 1 }, a: '3', t: '2:3' } } },
  ],
  putPool: [{ description: 'pool', policy: 'pack' }],
  putQueue: [{ weight: 2, strict: true, quota: 100 }],
  createToken: [{ name: 'ci', scopes: ['jobs:read'], pool: 'blue', ttlSeconds: 60 }],
  postGraphql: [
    graph('{jobs(first:2){nodes{id executions{nodes{edge{name}}}}}}'),
    graph('mutation($job:JSON!){submit(job:$job){id}}', { job: { power: 403 } }),
  ],
};
