import { createHash } from 'node:crypto';
import { fileInPartsBytesMin, filePartBytes } from '../../core/files/limits.ts';

/** The SHA-256 of a file and, of one that is sent in parts, of each of them, as it is read once. */
export type FileSums = {
  readonly sha256: string;
  /** Of a large file. */
  readonly parts?: readonly string[];
};

export type SumsOfPieces = {
  add(piece: Uint8Array): void;
  end(): FileSums;
};

/** `bytes`: what the file comes to as far as is known. */
export function sumsOfPieces(bytes: number): SumsOfPieces {
  const whole = createHash('sha256');
  const parts: string[] = [];
  let part = createHash('sha256');
  let room = filePartBytes;
  const isLarge = bytes > fileInPartsBytesMin;
  return {
    add(piece) {
      whole.update(piece);
      let rest = isLarge ? piece : piece.subarray(0, 0);
      while (rest.length > 0) {
        const some = rest.subarray(0, room);
        part.update(some);
        room -= some.length;
        rest = rest.subarray(some.length);
        if (room > 0) continue;
        parts.push(part.digest('hex'));
        [part, room] = [createHash('sha256'), filePartBytes];
      }
    },
    end() {
      if (isLarge && room < filePartBytes) parts.push(part.digest('hex'));
      return { sha256: whole.digest('hex'), ...(isLarge && { parts }) };
    },
  };
}
