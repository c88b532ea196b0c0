import { afterEach, beforeEach, expect, test } from 'vitest';
import { Edgewise } from '../../clients/typescript/edgewise.ts';
import { adminSecret, type ServedFleet, startServedFleet } from '../cli/api/served-fleet.ts';

let fleet: ServedFleet;
beforeEach(async () => {
  fleet = await startServedFleet();
});
afterEach(() => fleet.close());

const client = () => new Edgewise({ url: fleet.url, token: adminSecret });

test('a large file is sent in parts, and not those again that are there', async () => {
  const bytes = new Uint8Array(70_000_000).fill(7);
  const { sha256 } = await client().put(bytes);
  expect((await fleet.api.services.files.find('default', sha256))?.bytes).toBe(bytes.length);
  const asked = () => fleet.seen.filter(({ path }) => path === '/v1/files').length;
  expect(asked()).toBe(2);
  const tree = await client().putTree([{ path: 'large', bytes }]);
  expect(tree.manifest).toMatch(/^[0-9a-f]{64}$/);
  // The large one and the list, each asked for once.
  expect(asked()).toBe(4);
});
