import { createHash } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/** Files of the submitter that the tasks of a jobspec find. */
let api: ApiStage;
beforeEach(async () => {
  api = createApiStage(createMemoryStores());
  const facts = { cacheBytes: 1_000 };
  const body = { name: 'host', capacity: { power: 100, cores: 4 }, facts };
  const { secret: token } = (await api.request('POST', '/v1/edges', { body })).json;
  const report = { b: 'boot', e: 0, n: 1, f: 100, w: {} };
  await api.request('POST', '/v1/edges/host/report', { token, body: report });
});

async function store(text: string): Promise<string> {
  const sha256 = createHash('sha256').update(text).digest('hex');
  const body = { sha256, bytes: text.length };
  const { json } = await api.request('POST', '/v1/files', { body });
  const address = { url: json.uploadUrl, headers: json.headers };
  expect(api.services.files.put(address, Buffer.from(text))).toBe(200);
  return sha256;
}

const stage = (path: string) => [{ name: 'stage', path }];
const jobspec = (...paths: string[]) => ({
  version: 1,
  resources: { r: { type: 'node', count: 1, with: [{ type: 'core', count: 1 }] } },
  tasks: paths.map((path, at) => {
    return { name: `t${at}`, command: ['cat'], resources: 'r', steps: stage(path) };
  }),
});
const submit = (body: object) => api.request('POST', '/v1/jobspecs', { body });

test('each finds what it stages below $EDGEWISE_STAGE, by the last part of its path', async () => {
  const [data, tree] = [await store('data'), await store('[]')];
  const stages = { './deep/data.txt': { sha256: data }, 'src/': { manifest: tree } };
  const asked = { jobspec: jobspec('./deep/data.txt', 'src/'), stages };
  const { status, json, text } = await submit(asked);
  expect(status, text).toBe(202);
  const [first, second] = json.jobs.map(({ job }: { job: { spec: object } }) => job.spec);
  expect(first.inputs).toEqual([{ path: 'stage/data.txt', sha256: data }]);
  expect(second.inputs).toEqual([{ path: 'stage/src', manifest: tree }]);
  const { argv } = first.run.process;
  expect(argv.slice(0, 2)).toEqual(['sh', '-c']);
  expect(argv[2]).toContain('EDGEWISE_STAGE="$EDGEWISE_DIR/stage"');
  expect(argv.at(-1)).toBe('cat');
});

test('a group has what its tasks stage', async () => {
  const data = await store('data');
  const task = { command: ['cat'], steps: stage('data') };
  const groups = [{ name: 'g', resources: 'r', tasks: [task, { command: ['true'] }] }];
  const { resources } = jobspec();
  const body = { jobspec: { version: 1, resources, groups }, stages: { data: { sha256: data } } };
  const { json } = await submit(body);
  expect(json.jobs[0].job.spec.inputs).toEqual([{ path: 'stage/data', sha256: data }]);
});

test('what was not sent, or is not stored, is refused before anything is stored', async () => {
  const data = await store('data');
  const nothing = await submit({ jobspec: jobspec('data') });
  expect(nothing.json.errors).toEqual([
    {
      pointer: '/tasks/0/steps/0',
      message: 'Nothing was stored for "data"; edgewise jobspec submit does that.',
    },
  ]);
  const gone = { data: { sha256: 'a'.repeat(64) } };
  expect((await submit({ jobspec: jobspec('data'), stages: gone })).json.code).toBe(
    'input-missing',
  );
  const both = { data: { sha256: data, manifest: data } };
  expect((await submit({ jobspec: jobspec('data'), stages: both })).json.errors[0].pointer).toBe(
    '/stages/data',
  );
  const same = { 'a/data': { sha256: data }, 'b/data': { manifest: data } };
  const task = {
    command: ['cat'],
    resources: 'r',
    steps: [...stage('a/data'), ...stage('b/data')],
  };
  const clash = { ...jobspec(), tasks: [task] };
  expect((await submit({ jobspec: clash, stages: same })).status).toBe(400);
  expect((await api.request('GET', '/v1/jobspecs')).json.items).toEqual([]);
});
