import { createHash } from 'node:crypto';
import { filePartBytes, partAddressesMax } from '../../core/files/limits.ts';
import type { FileAddress, Files } from '../../core/ports/files.ts';

/** Uploads in parts to the files in memory: each part is compared, the whole is not. */
export type Held = { readonly bytes: Uint8Array; readonly storedAtMs: number };

export type PartsInMemory = Pick<Files, 'findInParts' | 'storeInParts'> & {
  /** What a store answers; `null`: the address is not that of a part. */
  putPart(
    key: string,
    url: string,
    sum: string,
    declared: string | undefined,
    bytes: Uint8Array,
  ): number | null;
};

export function partsInMemory(
  held: Map<string, Held>,
  clock: { readonly nowMs: () => number },
  addressOf: (key: string, nowMs: number) => FileAddress,
): PartsInMemory {
  const uploads = new Map<string, Map<number, Uint8Array>>();
  return {
    async findInParts(space, digest, { sums }) {
      const file = held.get(`${space}/${digest}`);
      if (file === undefined) return null;
      const isSame =
        hashOf(file.bytes) === digest || cut(file.bytes).map(hashOf).join() === sums.join();
      return isSame ? { bytes: file.bytes.length, storedAtMs: file.storedAtMs } : null;
    },
    async storeInParts(space, digest, { sums }, nowMs) {
      const key = `${space}/${digest}`;
      const there = uploads.get(key) ?? new Map<number, Uint8Array>();
      uploads.set(key, there);
      const missing = sums.flatMap((sum, at) => {
        const part = there.get(at + 1);
        return part !== undefined && hashOf(part) === sum ? [] : [{ number: at + 1, sum }];
      });
      if (missing.length === 0) {
        const bytes = Buffer.concat(sums.map((_, at) => there.get(at + 1)!));
        held.set(key, { bytes, storedAtMs: clock.nowMs() });
        uploads.delete(key);
        return null;
      }
      const parts = missing.slice(0, partAddressesMax).map(({ number, sum }) => {
        const { url, expiresAtMs } = addressOf(key, nowMs);
        const address = {
          url: `${url}&part=${number}&sum=${sum}`,
          headers: { 'x-sum': sum },
          expiresAtMs,
        };
        return { number, address };
      });
      return { uploadId: key, parts };
    },
    putPart(key, url, sum, declared, bytes) {
      const { searchParams } = new URL(url);
      const number = Number(searchParams.get('part') ?? 0);
      if (number === 0) return null;
      if (declared !== searchParams.get('sum')) return 403;
      if (sum !== declared) return 400;
      uploads.get(key)?.set(number, Uint8Array.from(bytes));
      return uploads.has(key) ? 200 : 404;
    },
  };
}

export const hashOf = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

export function cut(bytes: Uint8Array): readonly Uint8Array[] {
  const count = Math.max(1, Math.ceil(bytes.length / filePartBytes));
  return Array.from({ length: count }, (_, at) =>
    bytes.subarray(at * filePartBytes, (at + 1) * filePartBytes),
  );
}
