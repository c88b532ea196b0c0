import { closeSync, fstatSync, ftruncateSync, openSync, readSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { outputFileBytesMax } from '../limits.ts';

/**
 * Where a chunk writes: a nameless file, so that it costs the launcher nothing while it is
 * written and is gone with the last process that holds it. Cut back to its tail while it grows,
 * so a chunk cannot fill the disk by talking.
 */
export type OutputFile = {
  readonly fd: number;
  /** Called now and then while the chunk runs. */
  watch(): void;
  tail(): Buffer;
  close(): void;
};

let made = 0;

/** `null` when the disk takes no file: then there is no output, but the chunk runs. */
export function makeOutputFile(directory: string, tailBytes: number): OutputFile | null {
  made += 1;
  const path = join(directory, `launch-${process.pid}-${made}`);
  let fd: number;
  try {
    // Appending, so that what is written after a cut begins where the cut left the file.
    fd = openSync(path, 'ax+', 0o600);
    unlinkSync(path);
  } catch {
    return null;
  }
  let earlier: Buffer = Buffer.alloc(0);
  const readTail = (): Buffer => {
    const { size } = fstatSync(fd);
    const length = Math.min(size, tailBytes);
    const bytes = Buffer.alloc(length);
    const read = length === 0 ? 0 : readSync(fd, bytes, 0, length, size - length);
    const fresh = bytes.subarray(0, read);
    if (earlier.length === 0 || fresh.length >= tailBytes) return fresh;
    return Buffer.concat([earlier, fresh]).subarray(-tailBytes);
  };
  return {
    fd,
    watch() {
      if (fstatSync(fd).size <= outputFileBytesMax) return;
      earlier = readTail();
      ftruncateSync(fd, 0);
    },
    tail: readTail,
    close: () => closeSync(fd),
  };
}
