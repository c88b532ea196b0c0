import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { fileInPartsBytesMin, filePartBytes } from '../../../core/files/limits.ts';
import type { UploadAddress } from '../../../edge-agent/link/control-plane-api.ts';
import { sumsOfPieces } from '../../../edge-agent/results/file-sums.ts';
import { storeInParts } from '../../../edge-agent/results/store-in-parts.ts';

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

test.each([
  ['that is no more than one PUT', fileInPartsBytesMin, undefined],
  ['whose last part is short', fileInPartsBytesMin + 1, 2],
  ['whose last part is whole', 2 * filePartBytes, 2],
])('the sums of a file %s are those of its bytes, however it is cut', (_name, bytes, count) => {
  const whole = Buffer.alloc(bytes, 'edgewise');
  const sums = sumsOfPieces(bytes);
  for (let at = 0; at < bytes; at += 40_000_001) sums.add(whole.subarray(at, at + 40_000_001));
  const { sha256, parts } = sums.end();
  expect(sha256).toBe(digestOf(whole));
  const wanted =
    count === undefined
      ? undefined
      : Array.from({ length: count }, (_, at) =>
          digestOf(whole.subarray(at * filePartBytes, (at + 1) * filePartBytes)),
        );
  expect(parts).toEqual(wanted);
});

const bytes = 3 * filePartBytes - 5;
const sha256 = digestOf(randomBytes(8));

/** A control plane that knows which parts are there. */
function controlPlane(there: Set<number>) {
  const ask = async (): Promise<UploadAddress> => {
    const missing = [1, 2, 3].filter((number) => !there.has(number));
    const parts = missing.map((number) => ({ number, url: `/${number}`, headers: {} }));
    return { sha256, address: missing.length === 0 ? null : { parts } };
  };
  return ask;
}

test('only what is missing is sent, each part from its place', async () => {
  const there = new Set([1]);
  const sent: string[] = [];
  await storeInParts(bytes, controlPlane(there), async ({ url }, start, length) => {
    sent.push(`${url} ${start} ${length}`);
    there.add(Number(url.slice(1)));
  });
  const last = 2 * filePartBytes;
  expect(sent).toEqual([`/2 ${filePartBytes} ${filePartBytes}`, `/3 ${last} ${filePartBytes - 5}`]);
});

test('a part that fails is an error when the others have come to their end', async () => {
  const there = new Set<number>();
  const sending = storeInParts(bytes, controlPlane(there), async ({ url }) => {
    if (url === '/1') throw new Error('cut');
    there.add(Number(url.slice(1)));
  });
  await expect(sending).rejects.toThrow('cut');
  expect([...there]).toEqual([2, 3]);
});

test('a store that keeps no part is not asked without end', async () => {
  let puts = 0;
  const sending = storeInParts(bytes, controlPlane(new Set()), async () => void puts++);
  await expect(sending).rejects.toThrow('does not keep');
  expect(puts).toBeLessThan(50);
});
