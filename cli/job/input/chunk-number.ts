import { usage } from '../../failure.ts';

export function readChunkNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw usage(`"${text}" is not the number of a chunk.`, 'Chunks count from 0.');
  return Number(text);
}
