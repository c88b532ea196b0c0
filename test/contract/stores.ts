import { describe } from 'vitest';
import { createMemoryStores } from '../memory/stores.ts';
import { simulatedStores } from './simulated-stores.ts';
import type { Stores } from './stored-ports.ts';

export type Contract = (makeStores: () => Promise<Stores>) => void;

/** Runs a contract on every store that needs no program: memory, and the simulation's table. */
export function onStoresInMemory(contract: Contract): void {
  describe('in memory', () => contract(async () => createMemoryStores()));
  describe('in the table of the simulation', () => contract(async () => simulatedStores()));
}
