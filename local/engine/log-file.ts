/**
 * Log files of the local cloud itself: lines at the end of a file that starts anew above its bound;
 * one older file is kept beside it, with `.1` at its end.
 */
import { appendFileSync, copyFileSync, ftruncateSync, renameSync, statSync } from 'node:fs';
import { logFileBytesMax } from '../limits.ts';

export function appendLine(path: string, line: string, bytesMax = logFileBytesMax): void {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes >= bytesMax) renameSync(path, `${path}.1`);
  appendFileSync(path, `${line}\n`);
}

/**
 * The same for a file that other processes have open to append to: it is emptied in place, so that
 * they go on writing to it and not to the older one. True when it was.
 */
export function emptyWhenFull(path: string, file: number, bytesMax: number): boolean {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < bytesMax) return false;
  copyFileSync(path, `${path}.1`);
  ftruncateSync(file, 0);
  return true;
}
