import { afterAll, beforeAll, describe } from 'vitest';
import { createMemoryStores } from '../memory/stores.ts';
import { SimulatedTable, tableThrough } from '../sim/table/simulated-table.ts';
import { startDatabase, type TestDatabase } from './database.ts';
import { type Sdk, sdks } from './sdk.ts';
import type { Stores } from './stored-ports.ts';
import { createTableStores } from './table-stores.ts';

export type Contract = (makeStores: () => Promise<Stores>) => void;

export async function makeTableStores(database: TestDatabase, sdk?: Sdk): Promise<Stores> {
  return createTableStores(await database.makeTable(sdk));
}

/**
 * Runs a contract on every store that there is: memory, the table of the simulation, and the table
 * over the client that is bundled with functions and over the SDK's own. The engine under the table
 * is that of the run.
 */
export function onEveryStore(contract: Contract): void {
  describe('in memory', () => contract(async () => createMemoryStores()));
  describe('in the table of the simulation', () => contract(async () => simulatedStores()));
  describe.each(sdks)('in the table over the %s client', (sdk) => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await startDatabase();
    });
    afterAll(() => database.close());
    contract(() => makeTableStores(database, sdk));
  });
}

function simulatedStores(): Stores {
  const table = new SimulatedTable(() => {});
  return createTableStores(tableThrough(table, async (_, operation) => operation()));
}
