import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ServicesContract } from './services.ts';

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** What every keeper of files promises. */
export const filesContract: ServicesContract = (services) => {
  test('a file is there for its pool when its bytes were put, and for no other', async () => {
    const { files, putFile, getFile } = services();
    const bytes = randomBytes(5_000);
    const digest = digestOf(bytes);
    expect(await files.find('a', digest)).toBeNull();
    expect(await putFile(files.uploadAddress('a', digest, Date.now()), bytes)).toBe(200);
    expect(await files.find('a', digest)).toMatchObject({ bytes: 5_000 });
    expect(Date.now() - (await files.find('a', digest))!.storedAtMs).toBeLessThan(60_000);
    expect(await files.find('b', digest)).toBeNull();
    const { url } = files.downloadAddress('a', digest, Date.now());
    expect(Buffer.from((await getFile(url))!).equals(bytes)).toBe(true);
    expect(await getFile(files.downloadAddress('b', digest, Date.now()).url)).toBeNull();
  });

  test('a small file is read whole, a larger one not at all', async () => {
    const { files, putFile } = services();
    for (const bytes of [randomBytes(100), new Uint8Array()]) {
      const digest = digestOf(bytes);
      await putFile(files.uploadAddress('a', digest, Date.now()), bytes);
      const read = await files.read('a', digest, 100);
      expect(Buffer.from(read!).equals(bytes)).toBe(true);
    }
    const large = randomBytes(101);
    await putFile(files.uploadAddress('a', digestOf(large), Date.now()), large);
    expect(await files.read('a', digestOf(large), 100)).toBeNull();
    expect(await files.read('a', digestOf(randomBytes(9)), 100)).toBeNull();
  });

  test('a part of a file is read, and what was noted of it is kept beside it', async () => {
    const { files, putFile } = services();
    const bytes = randomBytes(100);
    const digest = digestOf(bytes);
    expect(await files.readPart('a', digest, 0, 10)).toBeNull();
    expect(await files.readNote('a', digest, 'lines.index', 10)).toBeNull();
    await putFile(files.uploadAddress('a', digest, Date.now()), bytes);
    for (const [from, to] of [
      [0, 10],
      [90, 100],
      [95, 200],
      [100, 110],
    ] as const) {
      const part = await files.readPart('a', digest, from, to);
      expect(Buffer.from(part!).equals(bytes.subarray(from, to))).toBe(true);
    }
    await files.keepNote('a', digest, 'lines.index', Buffer.from('{}'));
    const note = await files.readNote('a', digest, 'lines.index', 10);
    expect(Buffer.from(note!.bytes).toString()).toBe('{}');
    expect(Date.now() - note!.storedAtMs).toBeLessThan(60_000);
    expect(await files.readNote('a', digest, 'lines.index', 1)).toBeNull();
    expect(await files.readNote('a', digest, 'csv.index', 10)).toBeNull();
    expect(await files.readNote('b', digest, 'lines.index', 10)).toBeNull();
  });

  test('other bytes are refused, whatever is said of them, and leave what was there', async () => {
    const { files, putFile } = services();
    const [bytes, other] = [randomBytes(50), randomBytes(50)];
    const address = files.uploadAddress('a', digestOf(bytes), Date.now());
    expect(await putFile(address, other)).toBeGreaterThanOrEqual(400);
    const { headers } = files.uploadAddress('a', digestOf(other), Date.now());
    expect(await putFile({ ...address, headers }, other)).toBeGreaterThanOrEqual(400);
    expect(await files.find('a', digestOf(bytes))).toBeNull();
    expect(await putFile(address, bytes)).toBe(200);
    expect(await putFile(address, other)).toBeGreaterThanOrEqual(400);
    expect(Buffer.from((await files.read('a', digestOf(bytes), 50))!).equals(bytes)).toBe(true);
  });

  test('what chunks of a job left goes with it, and nothing else does', async () => {
    const { results, files, putFile } = services();
    const bytes = randomBytes(100);
    const digest = digestOf(bytes);
    for (const store of [
      results.uploadAddress('30-job-a', digest, Date.now()),
      results.uploadAddress('30-job-ab', digest, Date.now()),
      files.uploadAddress('30-job-a', digest, Date.now()),
    ]) {
      expect(await putFile(store, bytes)).toBe(200);
    }
    await results.removeAll('30-job-a');
    expect(await results.find('30-job-a', digest)).toBeNull();
    expect(await results.find('30-job-ab', digest)).toMatchObject({ bytes: 100 });
    expect(await files.find('30-job-a', digest)).toMatchObject({ bytes: 100 });
  });
};
