import { fileAddressSeconds } from '../../core/files/limits.ts';
import type { FileAddress, Files, ResultFiles } from '../../core/ports/files.ts';
import { type Held, hashOf, partsInMemory } from './parted-files.ts';

/** Files in memory, at addresses that mean something to it alone. */
export type MemoryFiles = Files &
  ResultFiles & {
    /** What a store answers to a PUT of these bytes: 400 for others than the digest says. */
    put(address: Pick<FileAddress, 'url' | 'headers'>, bytes: Uint8Array): number;
    get(url: string): Uint8Array | null;
    isAt(url: string): boolean;
    /** Addresses are below this one from now on, where somebody serves them. */
    serveAt(url: string): void;
    /** As if it had been stored at another time. */
    age(pool: string, digest: string, storedAtMs: number): void;
    remove(pool: string, digest: string): void;
  };

export function createMemoryFiles(clock = { nowMs: Date.now }, name = 'files'): MemoryFiles {
  const held = new Map<string, Held>();
  const notes = new Map<string, Held>();
  let base = `http://${name}.invalid/`;
  const keyOf = (pool: string, digest: string): string => `${pool}/${digest}`;
  const addressOf = (method: string, key: string, nowMs: number): FileAddress => ({
    url: `${base}${key}?method=${method}`,
    headers: method === 'PUT' ? { 'x-sum': key.split('/')[1] ?? '' } : {},
    expiresAtMs: nowMs + fileAddressSeconds * 1_000,
  });
  const keyAt = (url: string, method: string): string | null => {
    const { pathname, searchParams } = new URL(url);
    const key = pathname.split('/').slice(-2).join('/');
    return searchParams.get('method') === method ? key : null;
  };
  const { putPart, ...inParts } = partsInMemory(held, clock, (key, nowMs) =>
    addressOf('PUT', key, nowMs),
  );
  return {
    async find(pool, digest) {
      const file = held.get(keyOf(pool, digest));
      return file === undefined ? null : { bytes: file.bytes.length, storedAtMs: file.storedAtMs };
    },
    async read(pool, digest, bytesMax) {
      const bytes = held.get(keyOf(pool, digest))?.bytes;
      return bytes === undefined || bytes.length > bytesMax ? null : bytes;
    },
    async readPart(pool, digest, from, to) {
      return held.get(keyOf(pool, digest))?.bytes.slice(from, to) ?? null;
    },
    async readNote(pool, digest, name, bytesMax) {
      const note = notes.get(`${keyOf(pool, digest)}.${name}`);
      return note === undefined || note.bytes.length > bytesMax ? null : note;
    },
    async keepNote(pool, digest, name, bytes) {
      const note = { bytes: Uint8Array.from(bytes), storedAtMs: clock.nowMs() };
      notes.set(`${keyOf(pool, digest)}.${name}`, note);
    },
    uploadAddress: (pool, digest, nowMs) => addressOf('PUT', keyOf(pool, digest), nowMs),
    ...inParts,
    downloadAddress: (pool, digest, nowMs) => addressOf('GET', keyOf(pool, digest), nowMs),
    put({ url, headers }, bytes) {
      const key = keyAt(url, 'PUT');
      const sum = hashOf(bytes);
      const ofPart = key === null ? null : putPart(key, url, sum, headers['x-sum'], bytes);
      if (ofPart !== null) return ofPart;
      if (key === null || headers['x-sum'] !== key.split('/')[1]) return 403;
      if (sum !== headers['x-sum']) return 400;
      held.set(key, { bytes: Uint8Array.from(bytes), storedAtMs: clock.nowMs() });
      return 200;
    },
    get(url) {
      const key = keyAt(url, 'GET');
      return key === null ? null : (held.get(key)?.bytes ?? null);
    },
    isAt: (url) => url.startsWith(base),
    serveAt(url) {
      base = `${url}/`;
    },
    age(pool, digest, storedAtMs) {
      const file = held.get(keyOf(pool, digest));
      if (file !== undefined) held.set(keyOf(pool, digest), { ...file, storedAtMs });
    },
    remove(pool, digest) {
      held.delete(keyOf(pool, digest));
    },
    async removeAll(space) {
      for (const key of [...held.keys()]) if (key.startsWith(`${space}/`)) held.delete(key);
    },
  };
}
