import type { Outputs } from '../../core/ports/outputs.ts';

/** Kept outputs in memory. */
export function createMemoryOutputs(): Outputs {
  const objects = new Map<string, Uint8Array>();
  return {
    async put(job, chunk, attempt, body, stream = 'stdout') {
      const key = `${job}/${chunk}.${attempt}.${stream}`;
      objects.set(key, Uint8Array.from(body));
      return key;
    },
    async putPart(job, chunk, { attempt, offset }, body) {
      const key = `${job}/${chunk}.${attempt}/${offset}`;
      objects.set(key, Uint8Array.from(body));
      return key;
    },
    async get(key) {
      return objects.get(key) ?? null;
    },
    async removeAll(job) {
      for (const key of objects.keys()) if (key.startsWith(`${job}/`)) objects.delete(key);
    },
  };
}
