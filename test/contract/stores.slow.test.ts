import { describe } from 'vitest';
import { onTheEngine } from './engine-stores.ts';
import { storeContracts } from './store-contracts.ts';

for (const [name, contract] of Object.entries(storeContracts)) {
  describe(name, () => onTheEngine(contract));
}
