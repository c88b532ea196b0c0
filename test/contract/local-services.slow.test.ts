import { afterAll, beforeAll, describe } from 'vitest';
import { type LocalServices, startLocalServices } from './local-services.ts';
import { sdks } from './sdk.ts';
import { serviceContracts } from './service-contracts.ts';

describe.each(sdks)('on the local cloud, over the %s clients', (sdk) => {
  let local: LocalServices;
  beforeAll(async () => {
    local = await startLocalServices(sdk);
  });
  afterAll(() => local.close());

  for (const [name, contract] of Object.entries(serviceContracts)) {
    describe(name, () => contract(() => local));
  }
});
