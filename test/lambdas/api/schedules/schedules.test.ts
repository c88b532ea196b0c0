import { beforeEach, expect, test } from 'vitest';
import { createPoolCells } from '../../../../adapters/dynamodb/fleet/pool-cells.ts';
import { jobIdOf } from '../../../../core/model/names.ts';
import { runId } from '../../../../core/schedules/schedule.ts';
import { runDueSchedules } from '../../../../lambdas/schedules/run-due.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { createQuietLog } from '../../quiet-log.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

let nowMs: number;
let api: ApiStage;
beforeEach(() => {
  nowMs = Date.parse('2026-05-01T00:00:10Z');
  api = createApiStage(createMemoryStores(), { clock: { nowMs: () => nowMs } });
});

const post = (body: object, token?: string) =>
  api.request('POST', '/v1/schedules', { body, ...(token === undefined ? {} : { token }) });
const get = async (path: string) => (await api.request('GET', path)).json;

/** The minute tick. */
function tick(stores = api.stores): Promise<number> {
  const cells = createPoolCells(stores.pools, { withEdges: 0, withoutEdges: 0 });
  return runDueSchedules(nowMs, { ...stores, cells, log: createQuietLog() });
}

async function jobsOf(name: string): Promise<string[]> {
  const { items } = await get('/v1/jobs');
  const ids: string[] = items.map(({ id }: { id: string }) => id);
  return ids.filter((id) => id.startsWith(`${name}-`)).sort();
}

const hourly = { name: 'hourly', cron: '0 * * * *', job: { power: 7 } };
const at = (time: string): void => {
  nowMs = Date.parse(`2026-05-01T${time}Z`);
};

test('a schedule is kept, shows its next five times, and there is one of a name', async () => {
  const { status, json } = await post({ ...hourly, timezone: 'Europe/Berlin', cron: '30 2 * * *' });
  expect([status, json.next[0], json.next.length]).toEqual([201, '2026-05-01T00:30:00.000Z', 5]);
  expect((await post(hourly)).json.code).toBe('schedule-exists');
  expect((await get('/v1/schedules')).items).toEqual([json]);
  expect(await get('/v1/schedules/hourly')).toEqual(json);
});

test('its time makes one job, however often the tick comes', async () => {
  await post(hourly);
  expect(await tick()).toBe(0);
  at('01:00:05');
  expect(await Promise.all([tick(), tick()])).toContain(1);
  expect(await tick()).toBe(0);
  expect(await jobsOf('hourly')).toEqual(['hourly-20260501t0100z']);
  const job = await get('/v1/jobs/hourly-20260501t0100z');
  expect([job.spec.power, job.createdBy]).toEqual([7, 'token:admin']);
  const { lastRun } = await get('/v1/schedules/hourly');
  expect(lastRun).toMatchObject({ at: '2026-05-01T01:00:00.000Z', outcome: 'made' });
});

test('of two ticks at once one acts where it matters whether the job before still runs', async () => {
  await post({ ...hourly, overlap: 'skip' });
  at('01:00:05');
  const ticks = await Promise.all([tick(), tick(), tick()]);
  expect(ticks.sort()).toEqual([0, 0, 1]);
  at('02:00:05');
  expect(await tick()).toBe(1);
});

test('a tick that broke off behind the job has made it, however late the next one is', async () => {
  await post({ ...hourly, overlap: 'skip' });
  at('01:00:05');
  const { schedules } = api.stores;
  const save: typeof schedules.save = (next, seen, runs) =>
    runs.length === 0 ? schedules.save(next, seen, runs) : Promise.reject(new Error('gone'));
  await tick({ ...api.stores, schedules: { ...schedules, save } });
  at('02:00:05');
  await tick();
  const { items } = await get('/v1/schedules/hourly/runs');
  expect(items.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['skipped', 'made']);
  expect(await jobsOf('hourly')).toEqual(['hourly-20260501t0100z']);
});

test('a tick that broke off behind the job is made up for, and makes no second one', async () => {
  await post(hourly);
  at('01:00:05');
  const { schedules } = api.stores;
  const broken = { ...schedules, save: () => Promise.reject(new Error('gone')) };
  expect(await tick({ ...api.stores, schedules: broken })).toBe(0);
  expect(await jobsOf('hourly')).toHaveLength(1);
  at('01:01:05');
  await tick();
  expect(await jobsOf('hourly')).toHaveLength(1);
  expect((await get('/v1/schedules/hourly/runs')).items).toMatchObject([{ outcome: 'made' }]);
});

test('missed ticks: what is late is made, what is older as the schedule says', async () => {
  for (const catchUp of ['none', 'one', 'all']) await post({ ...hourly, name: catchUp, catchUp });
  at('03:30:05');
  await tick();
  expect(await jobsOf('none')).toEqual([]);
  expect(await jobsOf('one')).toEqual(['one-20260501t0300z']);
  expect(await jobsOf('all')).toHaveLength(3);
  const { items } = await get('/v1/schedules/one/runs');
  expect(items.map((run: { outcome: string }) => run.outcome)).toEqual(['made', 'missed']);
});

test('while the last job runs: another one, none, or one in its place', async () => {
  for (const overlap of ['allow', 'skip', 'replace']) {
    await post({ ...hourly, name: overlap, overlap });
  }
  for (const time of ['01:00:05', '02:00:05', '03:00:05']) {
    at(time);
    await tick();
  }
  const states = async (name: string) =>
    Promise.all((await jobsOf(name)).map(async (id) => (await get(`/v1/jobs/${id}`)).status.state));
  await api.settle();
  expect(await states('allow')).toEqual(['pending', 'pending', 'pending']);
  expect(await states('skip')).toEqual(['pending']);
  expect(await states('replace')).toEqual(['cancelled', 'cancelled', 'pending']);
  const { lastRun } = await get('/v1/schedules/skip');
  const detail = 'job skip-20260501t0100z has not ended';
  expect(lastRun).toMatchObject({ outcome: 'skipped', job: null, detail });
});

test('a paused one makes none, and its times meanwhile are not missed', async () => {
  await post({ ...hourly, catchUp: 'all' });
  const patch = (paused: boolean, more = {}) =>
    api.request('PATCH', '/v1/schedules/hourly', { body: { paused }, ...more });
  expect((await patch(true)).json).toMatchObject({ paused: true, next: [] });
  at('03:00:05');
  await tick();
  expect((await patch(false, { headers: { 'if-match': '"1-x"' } })).status).toBe(412);
  expect((await patch(false)).json.next[0]).toBe('2026-05-01T04:00:00.000Z');
  await tick();
  expect(await jobsOf('hourly')).toEqual([]);
  at('04:00:05');
  await tick();
  expect(await jobsOf('hourly')).toEqual(['hourly-20260501t0400z']);
});

test('it runs when somebody asks, paused or not, and its times stay as they are', async () => {
  await post({ ...hourly, overlap: 'skip', paused: true });
  const run = () => api.request('POST', '/v1/schedules/hourly/run');
  const { status, json } = await run();
  expect([status, json.job, json.outcome]).toEqual([202, 'hourly-20260501t000010r', 'made']);
  expect((await run()).json).toEqual(json);
  at('00:00:11');
  expect((await run()).json.job).toBe('hourly-20260501t000011r');
  expect(await jobsOf('hourly')).toHaveLength(2);
});

test('what cannot be made says why, and holds no other up', async () => {
  await post({ ...hourly, name: 'a-bad' });
  await post({ ...hourly, name: 'b-good' });
  const bad = (await api.stores.schedules.find('a-bad'))!;
  await api.stores.schedules.save({ ...bad, job: { run: 7 }, turn: 2 }, 1, []);
  at('01:00:05');
  await tick();
  expect(await jobsOf('b-good')).toHaveLength(1);
  const { lastRun } = await get('/v1/schedules/a-bad');
  expect(lastRun).toMatchObject({ outcome: 'failed', job: null });
  expect(lastRun.detail.length).toBeGreaterThan(3);
});

test.each([
  ['a time that is none', { cron: '61 * * * *' }, '/cron'],
  ['a hostile time', { cron: `${'*/1,'.repeat(40)}* * * * *` }, '/cron'],
  ['a day of no year', { cron: '0 0 30 2 *' }, '/cron'],
  ['both kinds of times', { everySeconds: 60 }, '/cron'],
  ['neither', { cron: null }, '/cron'],
  ['seconds', { cron: null, everySeconds: 30 }, '/everySeconds'],
  ['a zone that is none', { timezone: 'constructor' }, '/timezone'],
  [
    'an end before the start',
    { startAt: '2026-06-01T00:00:00Z', endAt: '2026-05-01T00:00:00Z' },
    '/endAt',
  ],
  ['a job that is none', { job: { power: -1 } }, '/job/power'],
  ['a job that waits', { job: { dependsOn: ['x'] } }, '/job/dependsOn'],
  ['a long name', { name: 'n'.repeat(47) }, '/name'],
])('refused with its place: %s', async (_name, more, pointer) => {
  const { status, json } = await post({ ...hourly, ...more });
  expect([status, json.errors?.[0].pointer], json.detail).toEqual([400, pointer]);
});

test('who has nothing to do with the pool sees nothing of it', async () => {
  await post({ ...hourly, job: { pool: 'ours' } });
  const body = { name: 'theirs', scopes: ['jobs:read', 'jobs:write'], pool: 'theirs' };
  const token = (await api.request('POST', '/v1/tokens', { body })).json.secret;
  expect((await api.request('GET', '/v1/schedules', { token })).json.items).toEqual([]);
  for (const [method, rest, sent] of [
    ['GET', '', undefined],
    ['PATCH', '', { paused: true }],
    ['DELETE', '', undefined],
    ['POST', '/run', undefined],
    ['GET', '/runs', undefined],
  ] as const) {
    const request = { token, ...(sent === undefined ? {} : { body: sent }) };
    const { status } = await api.request(method, `/v1/schedules/hourly${rest}`, request);
    expect([method, rest, status]).toEqual([method, rest, 404]);
  }
  expect((await post({ ...hourly, name: 'x', job: { pool: 'ours' } }, token)).status).toBe(403);
  expect((await api.request('DELETE', '/v1/schedules/hourly')).status).toBe(204);
  expect((await api.request('GET', '/v1/schedules/hourly')).status).toBe(404);
});

test('the name of a run is the id of a job', () => {
  expect(jobIdOf(runId('n'.repeat(46), nowMs))).toHaveLength(61);
});
