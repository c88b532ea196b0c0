import { expect, test } from 'vitest';
import type { Run, Schedule } from '../../core/schedules/schedule.ts';
import { startMs } from '../core/cell-fixture.ts';
import { auditOf } from './stored-fixture.ts';
import type { Contract } from './stores.ts';

const run: Run = {
  atMs: startMs,
  madeAtMs: startMs + 5,
  job: 'nightly-1',
  outcome: 'made',
  detail: '',
};
const nightly: Schedule = {
  name: 'nightly',
  pool: 'north',
  queue: 'default',
  cron: '0 3 * * *',
  everySeconds: null,
  timezone: 'Europe/Berlin',
  job: { run: { process: { argv: ['true'] } }, labels: { constructor: 'x' } },
  overlap: 'skip',
  catchUp: 'one',
  startAtMs: startMs,
  endAtMs: null,
  paused: false,
  createdAtMs: startMs,
  createdBy: 'token:a',
  version: 1,
  turn: 1,
  nextAtMs: startMs + 1_000,
  lastRun: null,
  lastJob: null,
};

/** What every store promises of schedules: one of a name, and one that acts on it at a time. */
export const schedulesContract: Contract = (makeStores) => {
  test('a schedule is read as it was stored, and there is one of a name', async () => {
    const { schedules } = await makeStores();
    expect(await schedules.find('nightly')).toBeNull();
    expect(await schedules.create(nightly, auditOf('x'))).toBe(true);
    expect(await schedules.create({ ...nightly, cron: '@daily' }, auditOf('x'))).toBe(false);
    expect(await schedules.find('nightly')).toEqual(nightly);
    const other = { ...nightly, name: 'hourly', cron: null, everySeconds: 60, endAtMs: startMs };
    await schedules.create(other, auditOf('x'));
    expect(await schedules.list()).toEqual([other, nightly]);
  });

  test('those whose time has come are found, the longest due first', async () => {
    const { schedules } = await makeStores();
    for (const [name, nextAtMs, paused] of [
      ['b', startMs + 1, false],
      ['a', startMs + 2, false],
      ['later', startMs + 3, false],
      ['paused', startMs, true],
      ['over', null, false],
    ] as const) {
      await schedules.create({ ...nightly, name, nextAtMs, paused }, auditOf('x'));
    }
    expect(await schedules.listDue(startMs + 2, 10)).toEqual(['b', 'a']);
    expect(await schedules.listDue(startMs + 2, 1)).toEqual(['b']);
    expect(await schedules.listDue(startMs, 10)).toEqual([]);
  });

  test('of two that act on it one is stored, with what became of its times', async () => {
    const { schedules } = await makeStores();
    await schedules.create(nightly, auditOf('x'));
    const next = { ...nightly, turn: 2, nextAtMs: null, lastRun: run, lastJob: run.job };
    const other = { ...run, job: null, outcome: 'skipped' as const, detail: 'runs' };
    const saved = [schedules.save(next, 1, [run]), schedules.save(next, 1, [other])];
    expect((await Promise.all(saved)).toSorted()).toEqual([false, true]);
    expect(await schedules.find('nightly')).toEqual(next);
    expect(await schedules.runs('nightly', null, 10)).toHaveLength(1);
    expect(await schedules.remove('nightly', 1)).toBe(false);
    expect(await schedules.remove('nightly', 2)).toBe(true);
    expect(await schedules.find('nightly')).toBeNull();
    expect(await schedules.save(next, 2, [])).toBe(false);
  });

  test('its times are listed by pages, the newest first', async () => {
    const { schedules } = await makeStores();
    await schedules.create(nightly, auditOf('x'));
    const runs = [1, 2, 3, 4, 5].map((n): Run => ({ ...run, atMs: startMs + n * 60_000 }));
    await schedules.save({ ...nightly, turn: 2 }, 1, runs);
    const first = await schedules.runs('nightly', null, 2);
    const rest = await schedules.runs('nightly', first[1]!.position, 10);
    expect([...first, ...rest].map((it) => it.run)).toEqual(runs.toReversed());
  });
};
