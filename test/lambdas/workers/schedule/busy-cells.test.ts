import { expect, test } from 'vitest';
import { cellIdOf } from '../../../../core/model/names.ts';
import { busyCellMsMax } from '../../../../lambdas/limits.ts';
import { createBusyCells } from '../../../../lambdas/workers/schedule/busy-cells.ts';

const cell = cellIdOf('default.0');

test('a cell that is found busy again and again is left alone for longer, within a bound', () => {
  const busy = createBusyCells(100);
  const waits: number[] = [];
  let nowMs = 0;
  for (let round = 0; round < 12; round++) {
    busy.add(cell, nowMs);
    let waitedMs = 0;
    while (busy.has(cell, nowMs + waitedMs)) waitedMs++;
    waits.push(waitedMs);
    nowMs += waitedMs;
  }
  expect(waits.slice(0, 3)).toEqual([100, 200, 400]);
  expect(Math.max(...waits)).toBe(busyCellMsMax);
});

test('one that was found quiet begins anew', () => {
  const busy = createBusyCells(100);
  busy.add(cell, 0);
  busy.add(cell, 100);
  busy.remove(cell);
  expect(busy.has(cell, 100)).toBe(false);
  busy.add(cell, 100);
  expect([busy.has(cell, 199), busy.has(cell, 200)]).toEqual([true, false]);
});

test('a clock that was set back holds nobody up', () => {
  const busy = createBusyCells(100);
  busy.add(cell, 1_000);
  expect(busy.has(cell, 999)).toBe(false);
});
