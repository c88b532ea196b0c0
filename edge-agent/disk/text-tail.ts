import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { characterBytesMax } from '../limits.ts';

/**
 * The end of what a chunk printed. Where something is left out before it, it begins at a character:
 * the rest of one that the cut went through is left out too. Bytes that are no UTF-8 are kept as
 * they are.
 */
export function textTail(bytes: Uint8Array, bytesMax: number): Uint8Array {
  if (bytes.length <= bytesMax) return bytes;
  return bytes.subarray(characterFrom(bytes, bytes.length - bytesMax));
}

/** The same of an open file of this size. */
export function readTextTail(fd: number, size: number, bytesMax: number): Uint8Array {
  const wanted = Math.min(size, bytesMax + characterBytesMax - 1);
  return textTail(readBytes(fd, size - wanted, wanted), bytesMax);
}

/** So many bytes of an open file from there, or as many as it has. */
export function readBytes(fd: number, from: number, count: number): Uint8Array {
  const bytes = Buffer.alloc(count);
  let read = 0;
  while (read < count) {
    const part = readSync(fd, bytes, read, count - read, from + read);
    if (part === 0) break;
    read += part;
  }
  return bytes.subarray(0, read);
}

/** The beginning: where something is left out behind it, it ends with a character. */
export function textHead(bytes: Uint8Array, bytesMax: number): Uint8Array {
  if (bytes.length < bytesMax) return bytes;
  for (let back = 1; back < characterBytesMax && back <= bytesMax; back++) {
    const at = bytesMax - back;
    if (isContinuation(bytes[at]!)) continue;
    return bytes.subarray(0, at + lengthOf(bytes[at]!) > bytesMax ? at : bytesMax);
  }
  return bytes.subarray(0, bytesMax);
}

/** The end of a plain file; `null` for anything else. No link is followed. */
export function readFileTail(path: string, bytesMax: number): Uint8Array | null {
  return withPlainFile(path, (fd, size) => readTextTail(fd, size, bytesMax));
}

/** The same, and how it begins where the end is not all of it. */
export function readFileEnds(path: string, headBytesMax: number, tailBytesMax: number) {
  return withPlainFile(path, (fd, size) => {
    const output = readTextTail(fd, size, tailBytesMax);
    const head = size > output.length ? readBytes(fd, 0, Math.min(size, headBytesMax)) : null;
    return { output, head, printedBytes: size };
  });
}

function withPlainFile<T>(path: string, read: (fd: number, size: number) => T): T | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stat = fstatSync(fd);
    return stat.isFile() ? read(fd, stat.size) : null;
  } finally {
    closeSync(fd);
  }
}

/** Where the first whole character at or after `at` begins. */
function characterFrom(bytes: Uint8Array, at: number): number {
  for (let back = 1; back < characterBytesMax && back <= at; back++) {
    const byte = bytes[at - back]!;
    if (isContinuation(byte)) continue;
    const end = at - back + lengthOf(byte);
    return end > at && isWhole(bytes, at, end) ? end : at;
  }
  return at;
}

/** How many bytes a character has that begins with this one; 1 for what begins none. */
function lengthOf(byte: number): number {
  if (byte >= 0xf0 && byte < 0xf5) return 4;
  if (byte >= 0xe0 && byte < 0xf0) return 3;
  return byte >= 0xc2 && byte < 0xe0 ? 2 : 1;
}

function isWhole(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!isContinuation(bytes[at] ?? 0)) return false;
  return true;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
