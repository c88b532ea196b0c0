import { createJsonCalls } from '../../adapters/aws/json-calls.ts';
import { createMoveStore } from '../../adapters/dynamodb/move-store.ts';
import { createPoolsStore } from '../../adapters/dynamodb/pools-store.ts';
import { encodeTick } from '../../adapters/dynamodb/rows-cell.ts';
import { createTable } from '../../adapters/dynamodb/table.ts';
import { requiredEnv } from '../environment.ts';
import { eventHandler } from '../event-handler.ts';
import { createLog } from '../log.ts';
import { tickCells } from './tick-cells.ts';

const log = createLog({ function: 'tick' }, Date.now);
const table = createTable(createJsonCalls('dynamodb'), requiredEnv('TABLE_NAME'));
const pools = createPoolsStore(table);
const deps = {
  fleet: {
    cells: pools.allCells,
    metas: pools.metas,
    async touch(cell: string, atMs: number): Promise<void> {
      await table.put(encodeTick(cell, atMs));
    },
  },
  moves: createMoveStore(table),
  clock: { nowMs: Date.now },
  log,
};

export const handler = eventHandler(log, async (): Promise<void> => {
  await tickCells(deps);
});
