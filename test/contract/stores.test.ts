import { describe } from 'vitest';
import { storeContracts } from './store-contracts.ts';
import { onStoresInMemory } from './stores.ts';

for (const [name, contract] of Object.entries(storeContracts)) {
  describe(name, () => onStoresInMemory(contract));
}
