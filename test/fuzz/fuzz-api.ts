import type { Key } from '../../adapters/dynamodb/keys.ts';
import type { Table } from '../../adapters/dynamodb/table.ts';
import { routes } from '../../core/contract/routes.ts';
import { createTableStores } from '../contract/table-stores.ts';
import { type ApiStage, createApiStage } from '../lambdas/api/api-stage.ts';
import { fittingBodies } from './fitting-bodies.ts';
import { createDraw, type Draw, hostileText, hostileValue, spoilt } from './hostile-values.ts';

/**
 * Throws generated requests at the API and watches four things: never a 5xx, never a hang, nothing
 * stored by a refused request, memory flat. The same seed throws the same requests.
 */
export type FuzzResult = {
  readonly requests: number;
  readonly statuses: Readonly<Record<number, number>>;
  readonly failures: readonly string[];
  readonly slowestMs: number;
};

export type FuzzOptions = {
  readonly seed: number;
  readonly requests: number;
  readonly onProgress?: (done: number) => void;
};

const hangMs = 10_000;
const failuresMax = 20;
const refusals = new Set([400, 401, 403, 404, 405, 413, 415]);

export async function fuzzApi(real: Table, options: FuzzOptions): Promise<FuzzResult> {
  const { table, rows } = noteWrites(real);
  const api = createApiStage(createTableStores(table));
  const draw = createDraw(options.seed);
  const world = await makeWorld(api);
  const statuses: Record<number, number> = {};
  const failures: string[] = [];
  let slowestMs = 0;
  for (let at = 0; at < options.requests && failures.length < failuresMax; at++) {
    const request = generate(draw, world);
    rows.clear();
    const startedAt = performance.now();
    const answer = await within(hangMs, api.request(request.method, request.path, request));
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    const shown = `#${at} ${request.method} ${request.path} ${describe(request)}`;
    if (answer === null) {
      failures.push(`${shown}: no answer`);
      continue;
    }
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    if (answer.status >= 500) failures.push(`${shown}: ${answer.status} ${answer.text}`);
    if (refusals.has(answer.status) && rows.size > 0) {
      failures.push(`${shown}: refused with ${answer.status} and yet ${[...rows].join(', ')}`);
    }
    if (at % 100 === 0) {
      api.log.lines.length = 0;
      options.onProgress?.(at);
    }
  }
  return { requests: options.requests, statuses, failures, slowestMs };
}

/** `null`: it took longer. */
async function within<T>(limitMs: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, limitMs, null);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

type World = { readonly ids: readonly string[]; readonly tokens: readonly (string | null)[] };

async function makeWorld(api: ApiStage): Promise<World> {
  const job = await api.request('POST', '/v1/jobs', { body: { power: 403 } });
  const edge = { name: 'edge-1', capacity: { power: 250 } };
  const enrolled = await api.request('POST', '/v1/edges', { body: edge });
  const limited = await api.request('POST', '/v1/tokens', {
    body: { name: 'limited', scopes: ['jobs:read', 'jobs:write'], pool: 'blue' },
  });
  const { adminToken } = api;
  return {
    ids: [job.json.id, 'edge-1', 'default', 'nobody', 'fuzz-1', '0', '3', '99999999'],
    tokens: [adminToken, adminToken, adminToken, enrolled.json.secret, limited.json.secret, null],
  };
}

type Generated = {
  readonly method: string;
  readonly path: string;
  readonly token: string | null;
  readonly raw?: string;
  readonly headers: Record<string, string>;
};

const bodied = routes.filter((route) => fittingBodies[route.operation] !== undefined);
const anyBody: readonly unknown[] = Object.values(fittingBodies).flat();

function generate(draw: Draw, world: World): Generated {
  const route = draw.pick(draw.chance(50) ? bodied : routes);
  const method = draw.chance(5)
    ? draw.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    : route.method;
  const path = route.path.replace(/\{\w+\}/g, () =>
    encodeURIComponent(wellFormed(draw.chance(85) ? draw.pick(world.ids) : hostileText(draw))),
  );
  const headers: Record<string, string> = {};
  if (draw.chance(15)) headers['idempotency-key'] = draw.pick(['k1', 'k2', 'x'.repeat(200), '']);
  if (draw.chance(15)) headers['if-match'] = draw.pick(['*', '"1-a"', 'W/"x"', '""', 'junk']);
  if (draw.chance(10)) headers['if-none-match'] = draw.pick(['*', '"1-a"', '']);
  if (draw.chance(8)) headers['content-type'] = draw.pick(['text/plain', '', 'application/yaml']);
  const raw = route.method === 'GET' ? undefined : rawBody(draw, fittingBodies[route.operation]);
  return {
    method,
    path: `${path}${raw !== undefined && draw.chance(75) ? '' : queryOf(draw)}`,
    token: draw.chance(90) ? draw.pick(world.tokens) : draw.pick(['bad', 'x'.repeat(300)]),
    headers,
    ...(raw === undefined ? {} : { raw }),
  };
}

function rawBody(draw: Draw, fitting: readonly unknown[] = anyBody): string {
  if (draw.chance(8)) return draw.pick(['', '{', '[]', 'null', '"x"', '{"a":', '\ufeff{}', '0']);
  const good = draw.pick(draw.chance(75) ? fitting : anyBody);
  if (draw.chance(35)) return JSON.stringify(good);
  return JSON.stringify(draw.chance(80) ? spoilt(draw, good) : hostileValue(draw)) ?? '';
}

const parameters = ['limit', 'cursor', 'state', 'pool', 'queue', 'label', 'edge', 'purge', 'force'];

function queryOf(draw: Draw): string {
  if (draw.chance(60)) return '';
  const name = draw.pick([...parameters, 'g', 'attempt', 'since', 'nonsense']);
  const value = draw.chance(40) ? draw.pick(['1', 'done', 'a=b', 'true']) : hostileText(draw);
  return `?${name}=${encodeURIComponent(wellFormed(value).slice(0, 2_000))}`;
}

/** An address cannot hold half a character. */
const wellFormed = (text: string): string => text.toWellFormed();

function describe(request: Generated): string {
  return JSON.stringify({ headers: request.headers, raw: request.raw?.slice(0, 300) });
}

/** Notes what was really written and stayed: a claim that is given back leaves nothing. */
function noteWrites(real: Table): { table: Table; rows: Set<string> } {
  const rows = new Set<string>();
  const note = (key: Key, isGone: boolean): void => {
    const name = `${key.pk} ${key.sk}`;
    if (isGone && rows.delete(name)) return;
    rows.add(name);
  };
  const noted = async (key: Key, request: Promise<boolean>, isGone = false): Promise<boolean> => {
    const held = await request;
    if (held) note(key, isGone);
    return held;
  };
  const table: Table = {
    ...real,
    put: (row, condition) => noted(row, real.put(row, condition)),
    update: (key, change, condition) => noted(key, real.update(key, change, condition)),
    remove: (key, condition) => noted(key, real.remove(key, condition), true),
    async transact(writes) {
      const outcome = await real.transact(writes);
      if (outcome.kind !== 'committed') return outcome;
      for (const write of writes) {
        if (write.kind === 'check') continue;
        note(write.kind === 'put' ? write.row : write.key, write.kind === 'delete');
      }
      return outcome;
    },
  };
  return { table, rows };
}
