import { describe, expect, test } from 'vitest';
import type {
  AuditEvent,
  Edge,
  Job,
  Pool,
  Queue,
  Schedule,
  ScheduleRun,
  Stats,
} from '../../../core/contract/resources.ts';
import { runOutcomes } from '../../../core/schedules/schedule.ts';
import {
  actionWords,
  auditPath,
  auditSpans,
  auditTarget,
  findAudit,
} from '../../../dashboard/model/management/audit-rows.ts';
import { poolRows } from '../../../dashboard/model/management/pool-rows.ts';
import { queueRows } from '../../../dashboard/model/management/queue-rows.ts';
import {
  nextWords,
  outcomeWords,
  timesWords,
} from '../../../dashboard/model/management/schedule-words.ts';
import { hrefOf } from '../../../dashboard/route/route.ts';

const nowMs = Date.parse('2026-11-01T12:00:00Z');

describe('pools', () => {
  const edge = (pool: string, power: number, free: number) =>
    ({ pool, capacity: { power }, free: { power: free }, state: 'connected' }) as unknown as Edge;

  test('stand beside what their edges have and what waits for them', () => {
    const pools = [{ name: 'pool-10' }, { name: 'pool-2' }] as Pool[];
    const edges = [edge('pool-2', 100, 40), edge('pool-2', 50, 50), edge('elsewhere', 9, 9)];
    const cells = [
      { pool: 'pool-2', backlogPower: 7 },
      { pool: 'pool-2', backlogPower: 5 },
    ];
    const rows = poolRows(pools, edges, { cells } as Stats);
    expect(rows).toEqual([
      { pool: pools[1], used: 60, total: 150, waiting: 12 },
      { pool: pools[0], used: 0, total: 0, waiting: 0 },
    ]);
    expect(poolRows(pools, [], null).map(({ waiting }) => waiting)).toEqual([0, 0]);
  });
});

describe('queues', () => {
  const job = (queue: string, pending: number) =>
    ({ spec: { queue }, status: { chunks: { pending, waiting: 0 } } }) as Job;

  test('share by weight, with what waits; one that nobody set up is a row once something waits', () => {
    const queues = [{ name: 'bulk', weight: 3, strict: true, quota: 5 }] as Queue[];
    const rows = queueRows(queues, [job('default', 4), job('default', 2), job('bulk', 0)]);
    expect(rows.map(({ queue, share, jobs, chunks }) => [queue.name, share, jobs, chunks])).toEqual(
      [
        ['bulk', 75, 0, 0],
        ['default', 25, 2, 6],
      ],
    );
    expect(queueRows([], [])).toEqual([]);
  });
});

describe('changes', () => {
  const event = (action: string, target = 'x'): AuditEvent => ({
    ...{ at: '2026-11-01T11:00:00Z', by: 'token:ann', requestId: 'r-1', action, target },
  });

  test('are read as far back as the address says, a day when it says nothing of use', () => {
    const since = (span: string) => auditPath({ span }, nowMs).split('since=')[1];
    expect(since('')).toBe('2026-10-31T12:00:00.000Z');
    expect(since('hour')).toBe('2026-11-01T11:00:00.000Z');
    expect(since('constructor')).toBe(since(''));
    expect(new Set(auditSpans.map(([key]) => since(key))).size).toBe(auditSpans.length);
  });

  test('are found by who, what, in words or not, and by the request', () => {
    const all = [event('edge-edited: cordoned', 'edge-1'), event('job-purged', '0abc')];
    for (const text of ['EDGE-1', 'edge edited', 'edge-edited']) {
      expect(findAudit(all, text)).toEqual([all[0]]);
    }
    expect(findAudit(all, ' ann ')).toEqual(all);
    expect(findAudit(all, '')).toBe(all);
    expect(findAudit(all, 'nobody')).toEqual([]);
  });

  test.each([
    ['edge-edited: cordoned', '/edges/x'],
    ['cluster-graph-changed', '/edges/x'],
    ['jobspec-retried', '/jobspecs/x'],
    ['schedule-paused', '/schedules/x'],
    ['pool-changed', '/?pool=x'],
    ['queue-created', '/queues'],
    ['token-created', '/tokens'],
  ])('%s leads to %s', (action, href) => {
    const to = auditTarget(event(action));
    expect(to === null ? null : hrefOf(to)).toBe(href);
  });

  test.each(['edge-removed', 'job-purged', 'token-revoked', 'constructor', ''])(
    'of %j there is no page',
    (action) => {
      expect(auditTarget(event(action))).toBeNull();
    },
  );

  test('are said in words, and what follows stays as it is', () => {
    expect(actionWords('edge-edited: max-power')).toBe('edge edited: max-power');
  });
});

describe('schedules', () => {
  const schedule = (more: Partial<Schedule>) =>
    ({
      cron: '@daily',
      everySeconds: null,
      timezone: 'UTC',
      paused: false,
      next: [],
      ...more,
    }) as Schedule;

  test.each([
    [{}, '@daily UTC'],
    [{ timezone: 'Europe/Berlin' }, '@daily Europe/Berlin'],
    [{ cron: null, everySeconds: 5_400 }, 'every 1 h 30 min'],
  ])('%j is %s', (more, words) => {
    expect(timesWords(schedule(more))).toBe(words);
  });

  test.each([
    [{ next: ['2026-11-01T12:05:00Z'] }, 'in 5 min'],
    [{ next: ['2026-11-01T11:59:00Z'] }, 'now'],
    [{ next: ['2026-11-01T12:05:00Z'], paused: true }, 'paused'],
    [{ next: [] }, 'never again'],
  ])('%j comes next %s', (more, words) => {
    expect(nextWords(schedule(more), nowMs)).toBe(words);
  });

  test('every outcome of a time has words', () => {
    const run = (outcome: ScheduleRun['outcome'], detail = '') =>
      outcomeWords({ outcome, detail } as ScheduleRun);
    const words = runOutcomes.map((outcome) => run(outcome));
    expect(new Set(words).size).toBe(runOutcomes.length);
    expect(run('failed', 'no such pool')).toBe('the job was refused: no such pool');
  });
});
