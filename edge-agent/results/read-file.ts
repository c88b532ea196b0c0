import { closeSync, read } from 'node:fs';
import { promisify } from 'node:util';
import { fileBytesMax } from '../../core/files/limits.ts';
import type { DirectoryOwner } from '../chunk-directory/chunk-directories.ts';
import { type FileSums, sumsOfPieces } from './file-sums.ts';
import { shown } from './find-results.ts';
import { readBytes } from './limits.ts';
import { openFile } from './open-beneath.ts';
import { ResultFault } from './result-fault.ts';

const readAt = promisify(read);

export type ReadFile = FileSums & {
  readonly bytes: number;
  readonly isExecutable: boolean;
};

/** Of a file below a directory, what is in it; it is read in pieces. */
export async function digestFile(
  root: string,
  path: string,
  owner: DirectoryOwner | null,
): Promise<ReadFile> {
  const { fd, stat } = opened(root, path);
  try {
    if (!stat.isFile()) throw new ResultFault(`${shown(path)} is no file`);
    // A second name of somebody else's file, that the chunk itself could not read.
    const isForeign = owner !== null && stat.uid !== owner.uid && (stat.mode & 0o004) === 0;
    if (isForeign) throw new ResultFault(`${shown(path)} belongs to somebody else`);
    if (stat.size > fileBytesMax) {
      throw new ResultFault(`${shown(path)} is larger than ${fileBytesMax} bytes`);
    }
    const sums = sumsOfPieces(stat.size);
    const bytes = await eachPiece(fd, 0, stat.size, sums.add);
    return { ...sums.end(), bytes, isExecutable: (stat.mode & 0o100) !== 0 };
  } finally {
    closeSync(fd);
  }
}

/** Its pieces from there on, in order; answers how many bytes there were, at most so many. */
export async function sendFile(
  root: string,
  path: string,
  { start, bytes }: { readonly start: number; readonly bytes: number },
  take: (piece: Buffer) => Promise<void> | void,
): Promise<number> {
  const { fd } = opened(root, path);
  try {
    return await eachPiece(fd, start, start + bytes, take);
  } finally {
    closeSync(fd);
  }
}

async function eachPiece(
  fd: number,
  start: number,
  end: number,
  take: (piece: Buffer) => Promise<void> | void,
): Promise<number> {
  let at = start;
  while (at < end) {
    const wanted = Math.min(readBytes, end - at);
    const { bytesRead, buffer } = await readAt(fd, Buffer.alloc(wanted), 0, wanted, at);
    if (bytesRead === 0) break;
    at += bytesRead;
    await take(buffer.subarray(0, bytesRead));
  }
  return at - start;
}

function opened(root: string, path: string) {
  try {
    return openFile(root, path);
  } catch (error) {
    const code = (error as { code?: string }).code ?? 'error';
    throw new ResultFault(`${shown(path)} cannot be read: ${code}`);
  }
}
