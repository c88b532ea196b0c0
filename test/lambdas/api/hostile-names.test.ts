import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { operations } from '../../../core/contract/operations.ts';
import { routes } from '../../../core/contract/routes.ts';
import { simulatedStores } from '../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from './api-stage.ts';
import { enrolEdge, type WorkingEdge } from './working-edge.ts';

/**
 * What people call things may be the name of something that every object answers for. The places
 * where the contract takes such names are found in its own schemas, so a new one is tested as soon
 * as it is there: each name is sent there over HTTP, and is kept or refused as a plain name is.
 */
const hostile = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];
/** Of the same form, and nothing more. */
const plainOf = (name: string) => (/^[a-z]+$/.test(name) ? 'plainname' : 'plainName');

let api: ApiStage;
let reporter: WorkingEdge;

beforeAll(async () => {
  api = createApiStage(simulatedStores());
  await enrolEdge(api, 'edge-1');
  reporter = await enrolEdge(api, 'reporter');
  await api.request('PUT', '/v1/pools/edge-1', { body: {} });
  await api.request('PUT', '/v1/jobs/job-1', { body: { chunks: 1, pool: 'nowhere' } });
});

type Json = Record<string, unknown>;
type Node = { readonly [name: string]: unknown };

/** A map of the contract: where it is in a body, and what its values look like. */
type Place = { readonly path: readonly string[]; readonly values: Node };

/** The maps in a schema, by a walk through its JSON Schema; a map in itself is met once. */
function mapsIn(schema: z.ZodType): Place[] {
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Node;
  const definitions = (root.$defs ?? {}) as Record<string, Node>;
  const found: Place[] = [];
  const visit = (node: Node, path: readonly string[], seen: readonly string[]): void => {
    if (typeof node.$ref === 'string') {
      const name = node.$ref.split('/').at(-1)!;
      const next = definitions[name];
      if (next !== undefined && !seen.includes(name)) visit(next, path, [...seen, name]);
      return;
    }
    for (const part of [...listOf(node.anyOf), ...listOf(node.allOf)]) visit(part, path, seen);
    const properties = (node.properties ?? {}) as Record<string, Node>;
    for (const [name, inner] of Object.entries(properties)) visit(inner, [...path, name], seen);
    const values = node.additionalProperties;
    if (typeof values === 'object' && values !== null && node.properties === undefined) {
      // What is merged into what is there answers that, too: it has tests of its own.
      if (path.length > 0) found.push({ path, values: values as Node });
    }
  };
  visit(root, [], []);
  return found;
}

const listOf = (value: unknown): readonly Node[] => (Array.isArray(value) ? value : []);

/** Something that the map takes; `null` where only its own schema could say. */
function valueFor({ values }: Place): unknown {
  const kinds = [values, ...listOf(values.anyOf)].map((node) => node.type);
  if (kinds.includes('string')) return 'v';
  if (kinds.includes('number') || kinds.includes('integer')) return 3;
  return kinds.includes('object') ? {} : 'v';
}

/** The smallest body of each operation that may hold its maps. */
const bodies: Readonly<Record<string, Json>> = {
  submitJob: { chunks: 1, pool: 'nowhere' },
  putJob: { chunks: 1, pool: 'nowhere' },
  planJob: { chunks: 1, pool: 'nowhere' },
  createSchedule: { cron: '@daily', job: { pool: 'nowhere' } },
  patchJob: {},
  enrolEdge: { capacity: { power: 5 } },
  patchEdge: { labels: {}, capacity: { power: 5 } },
  putPool: {},
  putReport: { b: 'boot', e: 0, f: 1, w: {} },
  acceptOffers: { jobs: ['job-1'] },
  postGraphql: { query: 'query($job: JSON) { stats { jobs { total } } }' },
};

/** Fields that a map needs beside it. */
const siblings: Readonly<Record<string, Json>> = {
  'run/process/env': { argv: ['true'] },
  'run/container/env': { image: 'busybox' },
  'run/slurm/env': { argv: ['true'] },
  'run/flux/env': { argv: ['true'] },
  'facts/capacity': { power: 5 },
  'facts/labels': { capacity: { power: 5 } },
  'facts/facts': { capacity: { power: 5 } },
  capacity: { power: 5 },
};

const cases = Object.entries(operations).flatMap(([operation, { body }]) => {
  if (body === undefined || !('schema' in body)) return [];
  return mapsIn(body.schema).map((place) => [operation, place.path.join('/'), place] as const);
});

/** As JSON makes it: `__proto__` is a key like any other. */
function bodyWith(operation: string, place: Place, name: string): string {
  const at = place.path.join('/');
  const body = structuredClone(bodies[operation] ?? {});
  if (operation === 'enrolEdge') body.name = `edge-${++made}`;
  if (operation === 'createSchedule') body.name = `schedule-${++made}`;
  let holder: Json = body;
  for (const part of place.path.slice(0, -1)) {
    holder[part] = { ...(holder[part] as Json | undefined) };
    holder = holder[part] as Json;
  }
  const last = place.path.at(-1)!;
  const isAmounts = last === 'capacity';
  if (!isAmounts) Object.assign(holder, siblings[at.replace(/^job\//, '')]);
  const table = { ...(isAmounts ? { power: 5 } : {}), [marker]: valueFor(place) };
  holder[last] = table;
  return JSON.stringify(body).replaceAll(marker, name);
}

const marker = 'NAME-OF-THE-MAP';
let made = 0;

async function send(operation: string, raw: string) {
  const route = routes.find((it) => it.operation === operation)!;
  const id = operation === 'putJob' ? `put-${++made}` : 'job-1';
  const isOwn = route.access?.scope === null;
  const path = route.path.replace('{id}', id).replace('{name}', isOwn ? 'reporter' : 'edge-1');
  return api.request(route.method, path, { raw, ...(isOwn ? { token: reporter.secret } : {}) });
}

describe('a name that every object answers for', () => {
  test('is looked for in every body that has a map', () => {
    expect(cases.length).toBeGreaterThan(15);
    const known = new Set(cases.map(([operation]) => operation));
    for (const operation of known) expect(bodies, operation).toHaveProperty(operation);
  });

  test.each(cases)('%s takes it at /%s as any other name', async (operation, _, place) => {
    for (const name of hostile) {
      const raw = bodyWith(operation, place, name);
      const answer = await sendAndRead(operation, raw);
      if (name === '__proto__') {
        expect([answer.status, answer.json?.code], raw).toEqual([400, 'invalid-request']);
        continue;
      }
      const plain = plainOf(name);
      const twin = await sendAndRead(operation, bodyWith(operation, place, plain));
      expect(twin.status, twin.text).toBeLessThan(500);
      expect(answer.status, answer.text).toBe(twin.status);
      // What comes back is what came back of the plain name, but for the name.
      if (twin.status < 300) expect(shapeOf(answer.text, name)).toBe(shapeOf(twin.text, plain));
      else expect(answer.json?.code).toBe(twin.json?.code);
    }
    // And whoever works with it afterwards does so.
    await api.settle();
  });

  test('is the name of a pool, a queue, a job and an edge', async () => {
    const name = 'constructor';
    for (const kind of ['pools', 'queues']) {
      expect((await api.request('PUT', `/v1/${kind}/${name}`, { body: {} })).status).toBe(201);
    }
    const worker = await enrolEdge(api, name, name);
    const body = { pool: name, queue: name, requires: { edges: [name] } };
    expect((await api.request('PUT', `/v1/jobs/${name}`, { body })).status).toBe(202);
    await worker.report({ w: { [name]: { d: '0' } } });
    await worker.report({ w: { [name]: { d: '0' } } });
    const job = (await api.request('GET', `/v1/jobs/${name}`)).json;
    expect([job.status.state, job.status.executions[0].edge]).toEqual(['done', name]);
    for (const path of ['jobs?pool=constructor', 'edges?pool=constructor', 'queues', 'pools']) {
      const { items } = (await api.request('GET', `/v1/${path}`)).json;
      const named = items.map((it: { id?: string; name: string }) => it.id ?? it.name);
      expect(named).toContain(name);
    }
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'of a label is asked for where edges are there: %s',
    async (name) => {
      const pool = `asked-${name.toLowerCase()}`;
      const worker = await enrolEdge(api, pool, pool);
      await worker.report({ w: {} });
      await api.settle();
      const body = { pool, requires: { labels: { [name]: 'x' } } };
      const { status, text } = await api.request('PUT', `/v1/jobs/${pool}`, { body });
      expect(status, text).toBe(202);
      await api.settle();
      const asked = (await api.request('GET', `/v1/jobs/${pool}`)).json;
      expect(asked.status.executions).toEqual([]);
      const labels = { labels: { [name]: 'x' } };
      const changed = await api.request('PATCH', `/v1/edges/${pool}`, { body: labels });
      expect(changed.status, changed.text).toBe(200);
      await api.settle();
      const given = (await api.request('GET', `/v1/jobs/${pool}`)).json;
      expect(given.status.executions).toMatchObject([{ edge: pool }]);
    },
  );

  test.each(hostile)('filters and variables called %s are what they say', async (name) => {
    for (const path of [`/v1/jobs?label=${name}=v`, `/v1/edges?label=${name}=v`]) {
      const { status, json } = await api.request('GET', path);
      expect([status, json.nextCursor]).toEqual([200, null]);
    }
    const unknown = await api.request('GET', `/v1/jobs?${name}=1`);
    expect([unknown.status, unknown.json.code]).toEqual([400, 'invalid-request']);
    const query = 'mutation($job: JSON!) { submit(job: $job) { spec } }';
    const labels = JSON.stringify({ [marker]: 'v' }).replace(marker, name);
    const job = `{"pool":"nowhere","labels":${labels}}`;
    const raw = `{"query":${JSON.stringify(query)},"variables":{"job":${job}}}`;
    const sent = await api.request('POST', '/graphql', { raw });
    if (name === '__proto__') expect(sent.json.code).toBe('invalid-request');
    else expect(JSON.stringify(sent.json.data.submit.spec.labels)).toBe(labels);
    const inline = `mutation { submit(job: {pool: "nowhere", labels: {${name}: "v"}}) { spec } }`;
    const direct = await api.request('POST', '/graphql', { body: { query: inline } });
    if (name === '__proto__') expect(direct.json.errors[0].extensions.status).toBe(400);
    else expect(JSON.stringify(direct.json.data.submit.spec.labels)).toBe(labels);
  });
});

/** A report answers nothing of what it held; the edge does. */
async function sendAndRead(operation: string, raw: string) {
  const answer = await send(operation, raw);
  if (operation !== 'putReport' || answer.status >= 300) return answer;
  return { ...(await api.request('GET', '/v1/edges/reporter')), status: answer.status };
}

/** What differs between two requests for the same: ids, times, secrets and the names. */
function shapeOf(text: string, name: string): string {
  return text
    .replaceAll(`"${name}"`, '"NAME"')
    .replaceAll(/"[0-9a-z]{18}"|"(?:put|edge|schedule)-\d+"/g, '"ID"')
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"TIME"')
    .replaceAll(/"ew[\w.-]{10,}"/g, '"SECRET"');
}
