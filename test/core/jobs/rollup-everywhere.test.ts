import { describe, expect, test } from 'vitest';
import { betweenCells } from '../../../core/jobs/between-cells.ts';
import type { JobStatus } from '../../../core/model/job-status.ts';
import { cellIdOf } from '../../../core/model/names.ts';
import type { JobCellStatus } from '../../../core/model/plan.ts';
import type { ServiceCounts } from '../../../core/services/service.ts';
import { startMs } from '../cell-fixture.ts';
import { counted, makeStatus, north, roll, south } from './rollup-stage.ts';

describe('a job that runs everywhere', () => {
  const counts = (over: Partial<ServiceCounts> = {}): ServiceCounts => {
    return { wanted: 2, ready: 2, restarts: 1, everywhere: true, ...over };
  };
  const cells = [north, south];
  const chunking = { chunks: 0, chunkPower: 10, lastChunkPower: 10 };
  const status = makeStatus({ cells, chunking, service: counts({ wanted: 0, ready: 0 }) });
  const here = (total: number, over: Partial<JobCellStatus> = {}) =>
    counted({ total, done: total }, { service: counts({ wanted: total }), ...over });
  const over = { endedAtMs: startMs + 5, startedAtMs: startMs + 1 };

  test('is what its cells have together', () => {
    const both = { [north]: counted({ total: 2, running: 2 }, { service: counts() }) };
    const { next } = roll(status, {
      ...both,
      [south]: counted({ total: 3, running: 3 }, { service: counts({ wanted: 3, restarts: 4 }) }),
    });
    expect(next.counts).toMatchObject({ total: 5, running: 5 });
    expect(next.service).toEqual(counts({ wanted: 5, ready: 4, restarts: 5 }));
  });

  test('goes on as long as one cell does', () => {
    const { next } = roll(status, { [north]: here(2, over), [south]: here(2) });
    expect(next.endedAtMs).toBeNull();
    const { next: ended } = roll(status, { [north]: here(2, over), [south]: here(2, over) });
    expect(ended.state).toBe('done');
    expect(roll(status, { [north]: here(2, over) }).next.endedAtMs).toBeNull();
  });

  const between = (of: JobStatus, cells: Record<string, JobCellStatus>) => {
    const known = new Map(Object.entries(cells).map(([cell, it]) => [cellIdOf(cell), it]));
    return betweenCells({ status: of, cells: known }, { next: of });
  };

  test('ends in cells that have none for it when the others are done', () => {
    const ending = { [north]: here(2, over), [south]: here(0) };
    expect(between(status, ending).leftOver).toEqual([south]);
    expect(between(status, { [north]: here(2), [south]: here(0) }).leftOver).toEqual([]);
    expect(between(status, { [north]: here(2, over), [south]: here(1) }).leftOver).toEqual([]);
    expect(between(status, { [north]: here(2, over) }).leftOver).toEqual([]);
    const { next } = roll(status, {
      ...ending,
      [south]: here(0, { ...over, reason: 'cancelled' }),
    });
    expect(next).toMatchObject({ state: 'done', reason: null });
  });

  test('gives turns, and none when it is to end', () => {
    const rollout = { generation: 1, state: 'done' as const, updated: 2, reason: null };
    const waiting = { ...rollout, wish: 2, awaits: 2 };
    const both = { [north]: here(2, { service: counts({ rollout: waiting }) }) };
    const turn = { cell: north, turn: { wish: 2 } };
    expect(between(status, both)).toEqual({ turn, leftOver: [] });
    expect(between({ ...status, cancelled: true }, both).turn).toBeNull();
    expect(between(status, { [north]: here(2) }).turn).toBeNull();
  });
});
