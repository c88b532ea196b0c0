import { afterAll, beforeAll, describe } from 'vitest';
import { startDatabase, type TestDatabase } from './database.ts';
import { type Sdk, sdks } from './sdk.ts';
import type { Stores } from './stored-ports.ts';
import type { Contract } from './stores.ts';
import { createTableStores } from './table-stores.ts';

export async function makeTableStores(database: TestDatabase, sdk?: Sdk): Promise<Stores> {
  return createTableStores(await database.makeTable(sdk));
}

/**
 * Runs a contract on the table of a database, over the client that is bundled with functions and
 * over the SDK's own. The engine under the table is that of the run.
 */
export function onTheEngine(contract: Contract): void {
  describe.each(sdks)('in the table over the %s client', (sdk) => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await startDatabase();
    });
    afterAll(() => database.close());
    contract(() => makeTableStores(database, sdk));
  });
}
