import { encodeMap } from '../../adapters/dynamodb/attribute-values.ts';
import { workKey } from '../../adapters/dynamodb/keys.ts';
import type { Row } from '../../adapters/dynamodb/table.ts';
import { cellIdOf, edgeNameOf, jobIdOf, parseJobId } from '../../core/model/names.ts';
import type { EdgeEvent } from '../../core/protocol/edge-event.ts';
import { parseBody } from '../../lambdas/event-handler.ts';
import { reportUnreadable } from '../../lambdas/table.ts';
import { readMessages } from '../../lambdas/workers/report/read-messages.ts';
import { storeReports } from '../../lambdas/workers/report/store-reports.ts';
import { rollUpJobs } from '../../lambdas/workers/rollup/roll-up-jobs.ts';
import { scheduleCells, wakeupsOfTimers } from '../../lambdas/workers/schedule/schedule-cells.ts';
import { createTableStores } from '../contract/table-stores.ts';
import { type ApiStage, createApiStage } from '../lambdas/api/api-stage.ts';
import { createQuietLog } from '../lambdas/quiet-log.ts';
import { SimulatedTable, tableThrough } from '../sim/table/simulated-table.ts';
import { type FollowedRow, followRow, isOfAnotherKind } from './followed-row.ts';
import { createDraw, type Draw, hostileValue, spoilt } from './hostile-values.ts';

/**
 * Damages what is stored, and what edges and queues bring, one thing at a time in a fleet of two
 * cells, and watches: both cells are scheduled, work that the damage is not about is placed, nobody
 * is answered with a 5xx, and whatever is certainly bad is reported. The same seed does the same
 * damage.
 *
 * Certainly bad: a message that is none, a document of which something was left out, an attribute
 * of another kind than it was that somebody has looked at and that nobody has written anew.
 */
export type RowsFuzzed = {
  readonly failures: readonly string[];
  /** Things that were damaged, by kind. */
  readonly done: Readonly<Record<Damage, number>>;
  /** How many of them are certainly bad: each of these is reported. */
  readonly bad: Readonly<Record<Damage, number>>;
};

type Damage = 'row' | 'document' | 'message';

const nowMs = 1_000_000_000_000;
const failuresMax = 10;
const cells = ['default.0', 'other.0'].map(cellIdOf);
const late = ['late-default', 'late-other'].map(jobIdOf);

export async function fuzzRows(options: {
  readonly seed: number;
  readonly rounds: number;
}): Promise<RowsFuzzed> {
  const draw = createDraw(options.seed);
  const world = await makeWorld();
  const failures: string[] = [];
  const done: Record<Damage, number> = { row: 0, document: 0, message: 0 };
  const bad: Record<Damage, number> = { row: 0, document: 0, message: 0 };
  for (let at = 0; at < options.rounds && failures.length < failuresMax; at++) {
    world.reset();
    const kind = draw.pick<Damage>(['row', 'row', 'row', 'document', 'message']);
    const { what, isElsewhere, isBad } = await damage(world, draw, kind);
    done[kind]++;
    const wrong = await watch(world, isElsewhere);
    if (isBad()) {
      bad[kind]++;
      if (!world.log.lines.some(isReport)) wrong.push('nobody hears of it');
    }
    failures.push(...wrong.map((it) => `#${at} ${kind} ${what}: ${it}`));
  }
  return { failures, done, bad };
}

function isReport(line: Record<string, unknown>): boolean {
  return line.UnreadableRows !== undefined || line.level === 'warn' || line.level === 'error';
}

type World = {
  readonly api: ApiStage;
  readonly sim: SimulatedTable;
  readonly followed: FollowedRow;
  readonly log: ReturnType<typeof createQuietLog>;
  /** As it was before any damage. */
  reset(): void;
};

async function makeWorld(): Promise<World> {
  const sim = new SimulatedTable(() => undefined);
  const log = createQuietLog();
  const followed = followRow({
    ...tableThrough(sim, async (_, operation) => operation()),
    reportUnreadable: (key) => reportUnreadable(log, key),
  });
  const clock = { nowMs: () => nowMs };
  const api = createApiStage(createTableStores(followed.table), { clock });
  const put = async (method: string, path: string, body: unknown) => {
    const { status, text } = await api.request(method, path, { body });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  };
  for (const pool of ['default', 'other']) {
    await put('PUT', `/v1/pools/${pool}`, { description: 'of the fleet' });
    for (const number of [1, 2]) {
      const name = `${pool}-${number}`;
      await put('POST', '/v1/edges', { name, pool, capacity: { power: 1_000 } });
      const version = 1;
      const cell = cellIdOf(`${pool}.0`);
      const edge = edgeNameOf(name);
      await api.stores.inventory.store(cell, { kind: 'connected', edge, atMs: nowMs, version });
    }
    await put('PUT', `/v1/jobs/early-${pool}`, { pool, chunkPower: 100, chunks: 4 });
  }
  await put('PUT', '/v1/queues/fast', { weight: 2, quota: 500 });
  await put('POST', '/v1/tokens', { name: 'ci', scopes: ['jobs:read'], pool: 'default' });
  await api.settle();
  for (const pool of ['default', 'other']) {
    await put('PUT', `/v1/jobs/late-${pool}`, { pool, chunkPower: 100, chunks: 2 });
  }
  const backup = sim.backUp();
  const reset = () => {
    sim.restore(backup);
    followed.forget();
    log.lines.length = 0;
    api.log.lines.length = 0;
  };
  return { api, sim, followed, log, reset };
}

type Damaged = {
  readonly what: string;
  readonly isElsewhere: boolean;
  /** Asked when all has been watched. */
  readonly isBad: () => boolean;
};

/** Of the pool `other` nothing is damaged. */
async function damage(world: World, draw: Draw, kind: Damage): Promise<Damaged> {
  if (kind === 'row') return damageRow(world, draw);
  if (kind === 'document') return damageDocument(world, draw);
  return damageMessage(world, draw);
}

/** Of one of the two queues. */
async function damageMessage({ api, log }: World, draw: Draw): Promise<Damaged> {
  const isTimer = draw.chance(50);
  const good = isTimer
    ? { cell: 'default.0', dueAtMs: nowMs }
    : { kind: 'connected', edge: 'default-1', at: nowMs + 1, version: 3 };
  const drawn = draw.chance(60) ? spoilt(draw, good) : hostileValue(draw);
  const body = draw.pick(['{', 'null', '[]', ...Array(6).fill(JSON.stringify(drawn))]);
  const records = [{ messageId: 'm', body }];
  const what = `${isTimer ? 'timer' : 'event'} ${body.slice(0, 200)}`;
  if (isTimer) {
    const { size } = wakeupsOfTimers(records, log);
    return { what, isElsewhere: true, isBad: () => size === 0 };
  }
  const { events } = readMessages(records, (thing) => thing, log);
  await storeReports({ inventory: api.stores.inventory, log }, events);
  return { what, isElsewhere: events.length === 0, isBad: () => events.length === 0 };
}

function damageRow({ sim, followed }: World, draw: Draw): Damaged {
  const rows = sim
    .partitionsOf('')
    .flatMap((pk) => [...sim.partition(pk).values()])
    .filter((row) => !/other/.test(`${row.pk} ${row.sk}`));
  const row = draw.pick(rows);
  const names = Object.keys(row).filter((it) => !/^(pk|sk|listPk|listSk)$/.test(it));
  const name = names.length === 0 ? 'extra' : draw.pick(names);
  const next = { ...row, [name]: storable(damagedValue(draw, row[name])) };
  if (draw.chance(10)) delete next[name];
  sim.write({ kind: 'put', row: next });
  followed.follow(row, name);
  const isThere = () => JSON.stringify(sim.get(row)?.[name]) === JSON.stringify(next[name]);
  const isBad = () => isOfAnotherKind(row[name], next[name]) && followed.isRead() && isThere();
  const isShared = /late-default|CELL#default.0 (META|TICK|POOL|QUEUE)|^(POOL|STATS)/.test(
    `${row.pk} ${row.sk}`,
  );
  const what = `${row.pk} ${row.sk} ${name} = ${JSON.stringify(next[name])?.slice(0, 200)}`;
  const isElsewhere = !isShared && !/default-\d/.test(`${row.pk} ${row.sk}`);
  return { what, isElsewhere, isBad };
}

/** JSON inside of an attribute is damaged inside, or cut off. */
function damagedValue(draw: Draw, value: unknown): unknown {
  if (typeof value !== 'string' || draw.chance(30)) return hostileValue(draw);
  if (draw.chance(20)) return value.slice(0, draw.number(value.length));
  const parsed = parseBody(value);
  return typeof parsed === 'object' && parsed !== null
    ? JSON.stringify(spoilt(draw, parsed))
    : hostileValue(draw);
}

/** What a table cannot hold is not damage of it. */
function storable(value: unknown): unknown {
  try {
    encodeMap({ value });
    return value;
  } catch {
    return 'what no table holds';
  }
}

async function damageDocument({ api, log }: World, draw: Draw): Promise<Damaged> {
  const work = { 'early-default': { d: '0', a: '1', x: { 2: 'timeout' } } };
  const good = draw.chance(50)
    ? { b: 'boot', e: 1, n: 1, f: 100, w: work }
    : { capacity: { power: 500 }, labels: { site: 'north' }, facts: { os: { version: '12' } } };
  const kind = 'capacity' in good ? 'facts' : 'prog';
  const reported = draw.chance(80) ? spoilt(draw, good) : hostileValue(draw);
  const message = { kind, edge: 'default-1', at: nowMs + 1, version: 3, reported };
  const sent = (draw.chance(80) ? message : spoilt(draw, message)) as typeof message;
  const body = JSON.stringify(sent);
  const { events } = readMessages([{ messageId: 'm', body }], (thing) => thing, log);
  const outcomes = await storeReports({ inventory: api.stores.inventory, log }, events);
  const what = `${body.slice(0, 300)} ${outcomes.join()}`;
  return { what, isElsewhere: false, isBad: () => isCut(sent.reported, events[0]) };
}

/** Whether the event says less than the document. */
function isCut(reported: unknown, event: EdgeEvent | undefined): boolean {
  if (event === undefined) return true;
  const said = (name: string) => Object.entries((reported as Record<string, object>)[name] ?? {});
  const isIn = (names: Iterable<string>, all: [string, unknown][]) => {
    const read = new Set(names);
    return all.every(([name, value]) => value === null || read.has(name));
  };
  if (event.kind === 'prog') return !isIn(event.progress.jobs.keys(), said('w'));
  if (event.kind !== 'facts') return false;
  const { capacity, labels } = event.facts;
  return (
    !isIn(Object.keys(capacity), said('capacity')) || !isIn(Object.keys(labels), said('labels'))
  );
}

async function watch(world: World, isElsewhere: boolean): Promise<string[]> {
  const { api, log } = world;
  const { stores, services } = api;
  const wrong: string[] = [];
  const clock = { nowMs: () => nowMs + 2 };
  const deps = { store: stores.cells, shadows: services.work, timers: services.timers };
  const rest = { clock, log, rates: stores.rollups };
  const wakeups = new Map(cells.map((cell) => [cell, [cell]]));
  const failed = await scheduleCells({ ...deps, ...rest }, wakeups);
  if (failed.length > 0) wrong.push(`records of ${failed.join()} come back`);
  for (const line of log.lines) {
    if (line.CellParked !== undefined) wrong.push(`${line.cell} is parked`);
  }
  const jobs = world.sim.partitionsOf('JOB#').flatMap((pk) => parseJobId(pk.slice(4)) ?? []);
  const unfolded = await rollUpJobs({ store: stores.rollups, clock, log }, jobs);
  if (unfolded.length > 0) wrong.push(`the status of ${unfolded.join()} is not folded`);
  if (heldOf(world, 'other') !== 2) wrong.push('the other cell stands still');
  if (isElsewhere && heldOf(world, 'default') !== 2) wrong.push('its own cell stands still');
  for (const path of paths) {
    const { status, text } = await api.request('GET', path);
    if (status >= 500) wrong.push(`${path} answers ${status} ${text.slice(0, 200)}`);
  }
  const unhurt = await api.request('GET', '/v1/edges/other-1');
  if (unhurt.status !== 200 || unhurt.json.reason !== null) wrong.push('another edge is hurt');
  return wrong;
}

const paths = [
  '/v1/stats',
  '/v1/edges',
  '/v1/edges/default-1',
  '/v1/edges/default-1/jobs',
  '/v1/jobs',
  ...['early-default', 'late-default'].flatMap((id) => [
    `/v1/jobs/${id}`,
    `/v1/jobs/${id}/explain`,
    `/v1/jobs/${id}/executions`,
    `/v1/jobs/${id}/events`,
  ]),
  '/v1/pools',
  '/v1/pools/default',
  '/v1/queues',
  '/v1/tokens',
  '/v1/audit',
];

/** Chunks of the job that came last, as edges hold them. */
function heldOf({ sim }: World, pool: string): number {
  const job = late.find((it) => it === `late-${pool}`)!;
  return [1, 2].reduce((all, number) => {
    const key = workKey(cellIdOf(`${pool}.0`), edgeNameOf(`${pool}-${number}`));
    const leases = parseBody(String((sim.get(key) as Row | null)?.leases ?? '{}')) as Leases;
    return all + countText(leases?.[job]?.r);
  }, 0);
}

type Leases = Readonly<Record<string, { readonly r: string }>> | null;

function countText(text: string | undefined): number {
  const set = text === undefined || text === '' ? [] : text.split(',');
  return set.reduce((all, it) => {
    const [from, to = from] = it.split('-').map(Number);
    return all + to! - from! + 1;
  }, 0);
}
