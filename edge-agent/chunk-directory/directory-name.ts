import { parseJobId } from '../../core/model/names.ts';
import type { ChunkName } from '../executors/executor.ts';

/** Says whose a directory is, so that it is known again: names hold no underscore. */
export function formatDirectoryName(
  { edge, job, chunk, attempt }: ChunkName,
  more: { readonly isKept: boolean; readonly random: string },
): string {
  return `${edge}_${job}_${chunk}_${attempt}_${more.isKept ? 'k' : 'x'}${more.random}`;
}

/** `null` for what is none. */
export function parseDirectoryName(
  name: string,
): (ChunkName & { readonly isKept: boolean }) | null {
  const match = /^([a-z0-9-]+)_([a-z0-9-]+)_(\d+)_(\d+)_([kx])[a-z0-9]+$/.exec(name);
  const job = parseJobId(match?.[2] ?? '');
  if (match === null || job === null) return null;
  const numbers = { chunk: Number(match[3]), attempt: Number(match[4]) };
  if (!Number.isSafeInteger(numbers.chunk) || !Number.isSafeInteger(numbers.attempt)) return null;
  return { edge: match[1]!, job, ...numbers, isKept: match[5] === 'k' };
}
