import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { edgeNameOf } from '../../core/model/names.ts';
import type { ServicesContract } from './services.ts';

/** What every keeper of the documents of clusters promises. */
export const graphsContract: ServicesContract = (services) => {
  const [keebler, oreo] = [edgeNameOf('keebler'), edgeNameOf('oreo')];

  test('a document is there for its cluster, under its hash, until it is removed', async () => {
    const { graphs } = services();
    await graphs.put(keebler, 'a', Buffer.from('{}'));
    await graphs.put(keebler, 'b', Buffer.from('[]'));
    expect(Buffer.from((await graphs.get(keebler, 'a'))!).toString()).toBe('{}');
    expect(await graphs.get(oreo, 'a')).toBeNull();
    await graphs.remove(keebler, 'a');
    expect(await graphs.get(keebler, 'a')).toBeNull();
    await graphs.removeAll(keebler);
    expect(await graphs.get(keebler, 'b')).toBeNull();
  });

  test('one that was put to an address is for its cluster, and no larger than is read', async () => {
    const { graphs, putFile } = services();
    const bytes = randomBytes(1_000);
    const digest = createHash('sha256').update(bytes).digest('hex');
    expect(await graphs.uploaded(keebler, digest, 1_000)).toBeNull();
    const address = graphs.uploadAddress(keebler, digest, Date.now());
    expect(await putFile(address, randomBytes(1_000))).toBeGreaterThanOrEqual(400);
    expect(await putFile(address, bytes)).toBe(200);
    expect(Buffer.from((await graphs.uploaded(keebler, digest, 1_000))!).equals(bytes)).toBe(true);
    expect(await graphs.uploaded(keebler, digest, 999)).toBeNull();
    expect(await graphs.uploaded(oreo, digest, 1_000)).toBeNull();
  });
};
