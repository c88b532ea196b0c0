import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { filePartBytes } from '../../core/files/limits.ts';
import type { FileParts } from '../../core/ports/files.ts';
import { cut } from '../memory/parted-files.ts';
import type { Services, ServicesContract } from './services.ts';

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const partsOf = (bytes: Uint8Array): FileParts => ({
  bytes: bytes.length,
  sums: cut(bytes).map(digestOf),
});

/** Puts those parts that are asked for, and answers their numbers. */
async function putMissing(
  { files, putFile }: Services,
  digest: string,
  bytes: Uint8Array,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly number[] | null> {
  const upload = await files.storeInParts('a', digest, partsOf(bytes), Date.now());
  if (upload === null) return null;
  const some = upload.parts.slice(0, most);
  for (const { number, address } of some) {
    expect(await putFile(address, cut(bytes)[number - 1]!)).toBe(200);
  }
  return some.map(({ number }) => number);
}

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

  test('a file in parts goes on where it was, and is whole when all are there', async () => {
    const { files, getFile } = services();
    const bytes = randomBytes(filePartBytes + 1_000);
    const digest = digestOf(bytes);
    const parts = partsOf(bytes);
    expect(await files.findInParts('a', digest, parts)).toBeNull();
    expect(await putMissing(services(), digest, bytes, 1)).toEqual([1]);
    expect(await files.find('a', digest)).toBeNull();
    expect(await putMissing(services(), digest, bytes)).toEqual([2]);
    expect(await files.find('a', digest)).toBeNull();
    expect(await putMissing(services(), digest, bytes)).toBeNull();
    expect(await files.findInParts('a', digest, parts)).toMatchObject({ bytes: bytes.length });
    expect(await files.find('a', digest)).toMatchObject({ bytes: bytes.length });
    const { url } = files.downloadAddress('a', digest, Date.now());
    expect(digestOf((await getFile(url))!)).toBe(digest);
    const across = await files.readPart('a', digest, filePartBytes - 5, filePartBytes + 5);
    const wanted = bytes.subarray(filePartBytes - 5, filePartBytes + 5);
    expect(Buffer.from(across!).equals(wanted)).toBe(true);
  });

  test('a part of other bytes is refused, and what others stored under a digest is replaced', async () => {
    const { files, putFile } = services();
    const [bytes, other] = [randomBytes(9_000), randomBytes(9_000)];
    const digest = digestOf(bytes);
    const upload = await files.storeInParts('a', digest, partsOf(bytes), Date.now());
    const { address } = upload!.parts[0]!;
    expect(await putFile(address, other)).toBeGreaterThanOrEqual(400);
    const sums = files.uploadAddress('a', digestOf(other), Date.now()).headers;
    expect(await putFile({ ...address, headers: sums }, other)).toBeGreaterThanOrEqual(400);
    // Who says other sums stores other bytes: of the whole nothing is compared.
    expect(await putMissing(services(), digest, other)).toEqual([1]);
    expect(await putMissing(services(), digest, other)).toBeNull();
    expect(await files.find('a', digest)).toMatchObject({ bytes: 9_000 });
    expect(await files.findInParts('a', digest, partsOf(bytes))).toBeNull();
    expect(await putMissing(services(), digest, bytes)).toEqual([1]);
    expect(await putMissing(services(), digest, bytes)).toBeNull();
    expect(Buffer.from((await files.read('a', digest, 9_000))!).equals(bytes)).toBe(true);
    expect(await files.findInParts('a', digest, partsOf(bytes))).toMatchObject({ bytes: 9_000 });
  });

  test('a file that was stored in one piece is the same as one in parts', async () => {
    const { files, putFile } = services();
    const bytes = randomBytes(700);
    const digest = digestOf(bytes);
    expect(await putFile(files.uploadAddress('a', digest, Date.now()), bytes)).toBe(200);
    expect(await files.findInParts('a', digest, partsOf(bytes))).toMatchObject({ bytes: 700 });
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
