import type { FileHandle } from 'node:fs/promises';

/**
 * Writes what comes to the end of a file, and shows each piece to somebody meanwhile. What has been
 * written is always the beginning of what came.
 */
export async function writePieces(
  file: FileHandle,
  pieces: AsyncIterable<Uint8Array>,
  see: (piece: Uint8Array) => void,
): Promise<void> {
  for await (const piece of pieces) {
    const written = writeAll(file, piece);
    // It is waited for below.
    written.catch(() => {});
    see(piece);
    await written;
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    at += (await file.write(bytes, at, bytes.length - at)).bytesWritten;
  }
}
