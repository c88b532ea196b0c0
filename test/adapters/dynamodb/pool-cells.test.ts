import { beforeEach, expect, test } from 'vitest';
import { createPoolCells } from '../../../adapters/dynamodb/fleet/pool-cells.ts';
import { newCellMeta } from '../../../core/model/cell.ts';
import { cellIdOf } from '../../../core/model/names.ts';
import type { Pools } from '../../../core/ports/pools.ts';

const cell = cellIdOf('default.0');
const keptMs = { withEdges: 2_000, withoutEdges: 250 };
let asked: string[];
let largestEdgePower: number;
beforeEach(() => {
  asked = [];
  largestEdgePower = 0;
});

function stage() {
  const meta = newCellMeta(cell, 'default', 0);
  const pools: Pick<Pools, 'find' | 'metas' | 'ensureCell' | 'countUnnamed'> = {
    async find() {
      asked.push('cells');
      return { pool: null, cells: [{ id: cell, edges: 0 }] };
    },
    async metas(ids) {
      asked.push('summaries');
      return ids.map(() => ({ ...meta, summary: { ...meta.summary, largestEdgePower } }));
    },
    ensureCell: async () => cell,
    countUnnamed: async () => 0,
  };
  return createPoolCells(pools, keptMs);
}

test('while a pool has no edge only the summaries are read again, and soon', async () => {
  const cells = stage();
  await cells.ofPool('default', 0);
  await cells.ofPool('default', 249);
  expect(asked).toEqual(['cells', 'summaries']);
  largestEdgePower = 40;
  expect(await cells.ofPool('default', 250)).toMatchObject({ largestEdgePower: 40 });
  expect(asked).toEqual(['cells', 'summaries', 'summaries']);
});

test('with edges nothing is read for a while, and then all of it', async () => {
  largestEdgePower = 40;
  const cells = stage();
  await cells.ofPool('default', 0);
  await cells.ofPool('default', 1_999);
  expect(asked).toEqual(['cells', 'summaries']);
  largestEdgePower = 0;
  expect(await cells.ofPool('default', 2_000)).toMatchObject({ largestEdgePower: null });
  expect(asked).toEqual(['cells', 'summaries', 'cells', 'summaries']);
});

test('cells are listed again in time although nothing but summaries was read meanwhile', async () => {
  const cells = stage();
  for (let nowMs = 0; nowMs <= 2_000; nowMs += 250) await cells.ofPool('default', nowMs);
  expect(asked.filter((it) => it === 'cells')).toHaveLength(2);
});
