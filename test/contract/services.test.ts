import { describe } from 'vitest';
import { createMemoryServices } from '../memory/services.ts';
import { serviceContracts } from './service-contracts.ts';

for (const [name, contract] of Object.entries(serviceContracts)) {
  describe(`${name} in memory`, () => {
    const services = createMemoryServices();
    contract(() => services);
  });
}
