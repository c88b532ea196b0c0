import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Documents as other projects publish them, byte for byte: see `samples/README.md`. */
export const samples = fileURLToPath(new URL('samples/', import.meta.url));

/** By its path below that directory. */
export function readSample(path: string): string {
  return readFileSync(`${samples}${path}`, 'utf8');
}
