import type { Table } from '../../adapters/dynamodb/table.ts';
import { SimulatedTable, tableThrough } from '../sim/table/simulated-table.ts';
import type { Stores } from './stored-ports.ts';
import { createTableStores } from './table-stores.ts';

/**
 * The table of the simulation, for a unit that stands on one: rows, conditions and transactions
 * without a program beside it. The contracts hold the stores on it to what they keep on a database.
 */
export function simulatedTable(): Table {
  const table = new SimulatedTable(() => undefined);
  return tableThrough(table, async (_, operation) => operation());
}

export function simulatedStores(): Stores {
  return createTableStores(simulatedTable());
}
