import {
  closeSync,
  existsSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';

/**
 * What a file that must survive a loss of power needs of its disk, call by call. Until a file is
 * synced its bytes may vanish, and until its directory is, so may its name or its renaming. Errors
 * carry the `code` of the host.
 */
export type FileSystem = {
  /** `null` for a file that is not there. */
  read(path: string): Uint8Array | null;
  open(path: string, flags: 'a+' | 'w'): number;
  /** From `offset` on; answers how much was taken. */
  write(fd: number, bytes: Uint8Array, offset: number): number;
  truncate(fd: number, bytes: number): void;
  fdatasync(fd: number, done: (error: Error | null) => void): void;
  fsync(fd: number): void;
  close(fd: number): void;
  rename(from: string, to: string): void;
  syncDirectory(path: string): void;
};

export const hostFiles: FileSystem = {
  read: (path) => (existsSync(path) ? readFileSync(path) : null),
  open: (path, flags) => openSync(path, flags, 0o600),
  write: writeSync,
  truncate: ftruncateSync,
  fdatasync,
  fsync: fsyncSync,
  close: closeSync,
  rename: renameSync,
  syncDirectory,
};

export function syncDirectory(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
