import { createJsonCalls } from '../../adapters/aws/json-calls.ts';
import { createMoveStore } from '../../adapters/dynamodb/move-store.ts';
import { createPoolsStore } from '../../adapters/dynamodb/pools-store.ts';
import { createRollupStore } from '../../adapters/dynamodb/rollup-store.ts';
import { encodeTick } from '../../adapters/dynamodb/rows-cell.ts';
import { createTable } from '../../adapters/dynamodb/table.ts';
import type { JobId } from '../../core/names.ts';
import { requiredEnv } from '../environment.ts';
import { eventHandler } from '../event-handler.ts';
import { createLog } from '../log.ts';
import { rollUpJobs } from '../rollup/roll-up-jobs.ts';
import { tickCells } from './tick-cells.ts';

const log = createLog({ function: 'tick' }, Date.now);
const table = createTable(createJsonCalls('dynamodb'), requiredEnv('TABLE_NAME'));
const pools = createPoolsStore(table);
const rollups = createRollupStore(table);
const clock = { nowMs: Date.now };
const deps = {
  fleet: {
    cells: pools.allCells,
    metas: pools.metas,
    owedFolds: rollups.owedFolds,
    async touch(cell: string, atMs: number): Promise<void> {
      await table.put(encodeTick(cell, atMs));
    },
  },
  moves: createMoveStore(table),
  fold: (jobs: readonly JobId[]) => rollUpJobs({ store: rollups, clock, log }, jobs),
  clock,
  log,
};

export const handler = eventHandler(log, async (): Promise<void> => {
  await tickCells(deps);
});
