import type { FileHandle } from 'node:fs/promises';
import { downloadWriteBytes } from '../limits.ts';

/**
 * Writes what comes to the end of a file, many pieces at once, while the next ones come. What has
 * been written is always the beginning of what came.
 */
export async function writePieces(
  file: FileHandle,
  pieces: AsyncIterable<Uint8Array>,
  seen: (piece: Uint8Array) => void,
): Promise<void> {
  // One is filled while the other is written.
  let [filling, other] = [Buffer.allocUnsafe(downloadWriteBytes), Buffer.alloc(0)];
  let bytes = 0;
  let written: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    await written;
    written = writeAll(file, filling.subarray(0, bytes));
    // It is waited for before the next one is written.
    written.catch(() => {});
    const free = other.length > 0 ? other : Buffer.allocUnsafe(downloadWriteBytes);
    [filling, other, bytes] = [free, filling, 0];
  };
  try {
    for await (const piece of pieces) {
      seen(piece);
      for (let at = 0; at < piece.length; ) {
        const some = piece.subarray(at, at + downloadWriteBytes - bytes);
        filling.set(some, bytes);
        [at, bytes] = [at + some.length, bytes + some.length];
        if (bytes === downloadWriteBytes) await write();
      }
    }
  } finally {
    // Also of what broke: the next try goes on behind it.
    await write();
    await written;
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    at += (await file.write(bytes, at, bytes.length - at)).bytesWritten;
  }
}
