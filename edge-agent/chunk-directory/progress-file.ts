import { join } from 'node:path';
import { readFileTail } from '../disk/text-tail.ts';
import { progressName } from '../executors/executor.ts';
import { progressFileBytesMax } from '../limits.ts';

/** What a chunk last wrote into its file: the last number in it; `null`: none. */
export function readProgressFile(directory: string): number | null {
  const bytes = readFileTail(join(directory, progressName), progressFileBytesMax);
  if (bytes === null) return null;
  const numbers = Buffer.from(bytes)
    .toString('latin1')
    .match(/\d+(\.\d+)?/g);
  return numbers === null ? null : Number(numbers.at(-1));
}
