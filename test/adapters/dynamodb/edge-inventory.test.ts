import { afterAll, beforeAll, describe } from 'vitest';
import { createInventory } from '../../../adapters/dynamodb/edge-inventory.ts';
import { factsKey, pointerKey, reportKey } from '../../../adapters/dynamodb/keys.ts';
import { decodeFacts, decodeReport } from '../../../adapters/dynamodb/rows-edge.ts';
import { startDatabase, type TestDatabase } from '../../contract/database.ts';
import { inventoryContract } from '../../contract/inventory.ts';
import { createMemoryInventory } from '../../contract/memory-inventory.ts';

describe('an inventory in memory', () => {
  inventoryContract(async () => {
    const inventory = createMemoryInventory();
    return {
      inventory,
      enrol: async (edge, cell) => inventory.enrol(edge, cell),
      report: async (_cell, edge) => inventory.report(edge),
      facts: async (_cell, edge) => inventory.facts(edge),
    };
  });
});

describe('an inventory in the table', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await startDatabase();
  });
  afterAll(() => database.close());

  inventoryContract(async () => {
    const table = await database.makeTable();
    return {
      inventory: createInventory(table),
      async enrol(edge, cell) {
        await table.put({ ...pointerKey(edge), cell });
      },
      async report(cell, edge) {
        const row = await table.get(reportKey(cell, edge));
        return row === null ? null : decodeReport(row);
      },
      async facts(cell, edge) {
        const row = await table.get(factsKey(cell, edge));
        return row === null ? null : decodeFacts(row);
      },
    };
  });
});
