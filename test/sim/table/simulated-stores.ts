import type { Stores } from '../../contract/stored-ports.ts';
import { createTableStores } from '../../contract/table-stores.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { type SimulatedTable, tableThrough } from './simulated-table.ts';

/** The shipped stores on the simulated table, as this world reads its cells. */
export function storesThrough(
  table: SimulatedTable,
  call: Parameters<typeof tableThrough>[1],
): Stores {
  return createTableStores(tableThrough(table, call), table.shelf);
}

/** In a third of the worlds a few jobs that need the same are a deep backlog. */
export function drawShelf(random: SeededRandom, { shelf }: SimulatedTable): void {
  if (random.chance(0.34)) shelf.shelfHeads = random.between(1, 4);
}
