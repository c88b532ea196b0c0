import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Execution } from '../../../core/contract/resources.ts';
import {
  directionOf,
  nextSort,
  splitColumns,
  splitOrder,
  splitPage,
} from '../../../dashboard/model/split-rows.ts';

const execution = (edge: string, more: Partial<Execution> = {}): Execution => ({
  ...{ edge, chunks: '0-9', power: 10, percent: 0, done: '', running: '', dead: '' },
  ...{ startedAt: null, endedAt: null },
  ...more,
});

const edgesOf = (executions: readonly Execution[], sort = '', at = 0, rowsMax = 10) =>
  splitPage(executions, splitOrder(sort), at, rowsMax).rows.map(({ edge }) => edge);

describe('the edges of a job', () => {
  test('stand as people count, and those that gave all back are left out', () => {
    const all = [execution('edge-10'), execution('edge-2'), execution('edge-3', { chunks: '' })];
    expect(edgesOf(all)).toEqual(['edge-2', 'edge-10']);
    expect(edgesOf(all, '-edge')).toEqual(['edge-10', 'edge-2']);
  });

  test('stand by any column, most first, and by name where they are alike', () => {
    const all = [
      execution('edge-1', { dead: '3' }),
      execution('edge-2', { dead: '4,6-8', startedAt: '2026-11-01T12:00:00Z' }),
      execution('edge-3', { dead: '9', startedAt: '2026-11-01T11:00:00Z' }),
    ];
    expect(edgesOf(all, 'failed')).toEqual(['edge-2', 'edge-1', 'edge-3']);
    expect(edgesOf(all, '-failed')).toEqual(['edge-1', 'edge-3', 'edge-2']);
    expect(edgesOf(all, 'started')).toEqual(['edge-3', 'edge-2', 'edge-1']);
    expect(edgesOf(all, 'constructor')).toEqual(['edge-1', 'edge-2', 'edge-3']);
  });

  test('every edge is on exactly one page, whatever the order', () => {
    const columns = splitColumns.map(([column]) => column);
    const sorts = fc.constantFrom(...columns, ...columns.map((column) => `-${column}`));
    const rowsMax = 7;
    fc.assert(
      fc.property(fc.nat(60), sorts, fc.array(fc.nat(100)), (count, sort, percents) => {
        const all = Array.from({ length: count }, (_, n) =>
          execution(`edge-${n}`, { percent: percents[n] ?? 0 }),
        );
        const { pages, total } = splitPage(all, splitOrder(sort), 0, rowsMax);
        expect(total).toBe(count);
        const seen = Array.from({ length: pages }, (_, at) => edgesOf(all, sort, at, rowsMax));
        expect(seen.every((page) => page.length <= rowsMax)).toBe(true);
        expect(seen.flat().sort()).toEqual(all.map(({ edge }) => edge).sort());
      }),
    );
  });

  test('a page that is gone is the last one', () => {
    const all = Array.from({ length: 8 }, (_, n) => execution(`edge-${n}`));
    expect(splitPage(all, splitOrder(''), 99, 5)).toMatchObject({ at: 1, pages: 2, total: 8 });
    expect(splitPage([], splitOrder(''), 3, 5)).toMatchObject({ at: 0, pages: 1, rows: [] });
  });

  test('a head that is pressed twice turns the order round', () => {
    expect(nextSort(splitOrder(''), 'failed')).toBe('failed');
    expect(nextSort(splitOrder('failed'), 'failed')).toBe('-failed');
    expect(nextSort(splitOrder('-failed'), 'failed')).toBe('failed');
    expect(nextSort(splitOrder('failed'), 'edge')).toBe('');
    expect(['', '-edge', 'failed', '-failed'].map(splitOrder).map(directionOf)).toEqual([
      'ascending',
      'descending',
      'descending',
      'ascending',
    ]);
  });
});
