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
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  let written: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    await written;
    const all = Buffer.concat(waiting, bytes);
    [waiting, bytes] = [[], 0];
    written = file.writeFile(all);
    // It is waited for before the next one is written.
    written.catch(() => {});
  };
  try {
    for await (const piece of pieces) {
      seen(piece);
      waiting.push(piece);
      bytes += piece.length;
      if (bytes >= downloadWriteBytes) await write();
    }
  } finally {
    // Also of what broke: the next try goes on behind it.
    await write();
    await written;
  }
}
