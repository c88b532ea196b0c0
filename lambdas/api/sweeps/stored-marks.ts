import { invalid, ProblemError } from '../../../core/contract/problem.ts';
import { filesFreshMs } from '../../../core/files/limits.ts';
import type { Files } from '../../../core/ports/files.ts';
import {
  sweepFileBytesMax,
  sweepIndexBytesMax,
  sweepIndexesRememberedMax,
  sweepPieceBytes,
} from '../../../core/sweeps/limits.ts';
import { type FileIndex, indexFile, parseFileIndex } from '../../../core/sweeps/line-marks.ts';
import type { SweepFormat } from '../../../core/sweeps/sweep.ts';
import { storedJson } from '../http/json-body.ts';

/** A file of parameters, as a job names it. */
export type SweepFile = {
  readonly pool: string;
  readonly digest: string;
  readonly format: SweepFormat;
};

/**
 * Where the lines of a file begin. It is read through once, when a job first names it; what was
 * found is noted beside the file and goes with it.
 */
export async function storedIndex(files: Files, file: SweepFile): Promise<FileIndex | null> {
  const { pool, digest, format } = file;
  const key = `${pool}/${digest}/${format}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const note = await files.readNote(pool, digest, noteOf(format), sweepIndexBytesMax);
  const index = note === null ? null : parseFileIndex(storedJson(note.bytes), format);
  if (index !== null) remember(key, index);
  return index;
}

/** For a job that is handed in: the file must be there, and stay for a while. */
export async function indexForJob(
  files: Files,
  file: SweepFile,
  nowMs: number,
  notes: 'kept' | 'not kept',
): Promise<FileIndex> {
  const { pool, digest, format } = file;
  const found = await files.find(pool, digest);
  if (found === null || nowMs - found.storedAtMs >= filesFreshMs) throw notStored(digest);
  if (found.bytes > sweepFileBytesMax) {
    throw invalid(
      '/params/file',
      `Parameters are in a file of ${sweepFileBytesMax} bytes or less.`,
    );
  }
  const name = noteOf(format);
  const note = await files.readNote(pool, digest, name, sweepIndexBytesMax);
  const isFresh = note !== null && nowMs - note.storedAtMs < filesFreshMs;
  const known = isFresh ? parseFileIndex(storedJson(note.bytes), format) : null;
  if (known !== null) return known;
  const index = await readThrough(files, file, found.bytes);
  if (notes === 'kept') {
    await files.keepNote(pool, digest, name, new TextEncoder().encode(JSON.stringify(index)));
  }
  return index;
}

/** The next piece comes while the last one is looked through. */
async function readThrough(files: Files, file: SweepFile, bytes: number): Promise<FileIndex> {
  const { pool, digest, format } = file;
  const indexer = indexFile(format);
  const pieceAt = (from: number) =>
    files.readPart(pool, digest, from, Math.min(bytes, from + sweepPieceBytes));
  let next = pieceAt(0);
  for (let at = 0; at < bytes; at += sweepPieceBytes) {
    const piece = await next;
    if (piece === null) throw notStored(digest);
    next = at + sweepPieceBytes < bytes ? pieceAt(at + sweepPieceBytes) : Promise.resolve(null);
    indexer.feed(piece);
  }
  const index = indexer.end();
  if (typeof index === 'string') throw invalid('/params/file', index);
  return index;
}

function notStored(digest: string): ProblemError {
  const message = `The file ${digest} is not stored in this pool, or not for long enough; send it.`;
  const errors = [{ pointer: '/params/file', message }];
  return new ProblemError('input-missing', message, { errors });
}

const noteOf = (format: SweepFormat): string => `${format}.index`;

/** What a digest stands for never changes. */
const remembered = new Map<string, FileIndex>();

function remember(key: string, index: FileIndex): void {
  const [oldest] = remembered.keys();
  if (remembered.size >= sweepIndexesRememberedMax && oldest !== undefined) {
    remembered.delete(oldest);
  }
  remembered.set(key, index);
}
