import { createMoveStore } from '../../adapters/dynamodb/fleet/move-store.ts';
import { createPoolsStore } from '../../adapters/dynamodb/fleet/pools-store.ts';
import { createFleet } from '../../adapters/dynamodb/fleet/tick-fleet.ts';
import { createJobLists } from '../../adapters/dynamodb/jobs/job-lists.ts';
import { createRollupStore } from '../../adapters/dynamodb/jobs/rollup-store.ts';
import type { JobId } from '../../core/model/names.ts';
import { eventHandler } from '../event-handler.ts';
import { createLog } from '../log.ts';
import { openTable } from '../table.ts';
import { rollUpJobs } from '../workers/rollup/roll-up-jobs.ts';
import { tickCells } from '../workers/tick/tick-cells.ts';

const log = createLog({ function: 'tick' }, Date.now);
const table = openTable();
const store = createRollupStore(table);
const clock = { nowMs: Date.now };
const deps = {
  fleet: createFleet(table),
  moves: createMoveStore(table),
  pools: createPoolsStore(table),
  jobs: createJobLists(table),
  fold: (jobs: readonly JobId[]) => rollUpJobs({ store, clock, log }, jobs),
  clock,
  log,
};

export const handler = eventHandler(log, async (): Promise<void> => {
  await tickCells(deps);
});
