import {
  closeSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { liveBacklogBytesMax, livePartBytesMax } from '../../core/live/limits.ts';
import { outputHeadBytesMax } from '../../core/model/limits.ts';
import { readBytes, readTextTail, textTail } from '../disk/text-tail.ts';
import { cutTriesMax, outputFileBytesMax } from '../limits.ts';
import {
  type LaunchOrder,
  type OutputEnds,
  type OutputPart,
  type WholeOutput,
  wholeDirectoryName,
} from './launcher-protocol.ts';

/**
 * Where a chunk writes: a nameless file, so that it costs the launcher nothing while it is
 * written and is gone with the last process that holds it. Cut back to its beginning and its tail
 * while it grows, so a chunk cannot fill the disk by talking. One that is to be kept whole has a
 * name, and is cut back when it has grown beyond that.
 */
export type OutputFile = {
  readonly fd: number;
  /** Called now and then while the chunk runs. */
  watch(): void;
  /** From there, or from where it is still there; below zero it is counted from the end. */
  part(from: number): OutputPart;
  /** Where it is kept, or somebody has looked at a part. */
  end(isKept: boolean): OutputEnds;
};

let made = 0;

/** `null` when the disk takes no file: then there is no output, but the chunk runs. */
export function makeOutputFile(
  directory: string,
  tailBytes: number,
  owner: LaunchOrder['outputOwner'],
  whole: WholeOutput | null,
): OutputFile | null {
  made += 1;
  const path =
    whole === null
      ? join(directory, `launch-${process.pid}-${made}`)
      : join(directory, wholeDirectoryName, whole.name);
  let fd: number;
  try {
    // Appending, so that what is written after a cut begins where the cut left the file.
    if (whole !== null) rmSync(path, { force: true });
    fd = openSync(path, 'ax+', 0o600);
    if (whole === null) unlinkSync(path);
    if (owner !== null) fchownSync(fd, owner.uid, owner.gid);
  } catch {
    return null;
  }
  let head: Uint8Array | null = null;
  let earlier: Uint8Array = new Uint8Array();
  let cutBytes = 0;
  let isFollowed = false;
  let keptBytes = tailBytes;
  const total = (): number => cutBytes + fstatSync(fd).size;
  const readTail = (): Uint8Array => {
    const fresh = readTextTail(fd, fstatSync(fd).size, keptBytes);
    if (earlier.length === 0 || fresh.length >= keptBytes - 3) return fresh;
    return textTail(Buffer.concat([earlier, fresh]), keptBytes);
  };
  return {
    fd,
    watch() {
      let { size } = fstatSync(fd);
      if (size <= outputFileBytesMax) return;
      if (whole !== null && cutBytes === 0 && size <= whole.bytesMax) return;
      let tail = readTail();
      // What comes between the look and the cut would be missing in the middle.
      for (let tries = 0; tries < cutTriesMax && fstatSync(fd).size !== size; tries++) {
        ({ size } = fstatSync(fd));
        tail = readTail();
      }
      head ??= readBytes(fd, 0, outputHeadBytesMax);
      earlier = tail;
      cutBytes += size;
      ftruncateSync(fd, 0);
    },
    part(wanted) {
      isFollowed = true;
      // At its end as much is wanted as may not have been looked at.
      keptBytes = Math.max(tailBytes, liveBacklogBytesMax);
      const all = total();
      const first = cutBytes - earlier.length;
      const from = Math.min(all, Math.max(first, wanted < 0 ? all + wanted : wanted));
      const bytes = Buffer.alloc(Math.min(livePartBytesMax, all - from));
      let got = 0;
      if (from < cutBytes) {
        const known = earlier.subarray(from - first).subarray(0, bytes.length);
        bytes.set(known);
        got = known.length;
      }
      while (got < bytes.length) {
        const more = readSync(fd, bytes, got, bytes.length - got, from + got - cutBytes);
        if (more === 0) break;
        got += more;
      }
      return { from, total: all, bytes: bytes.subarray(0, got) };
    },
    end(isKept) {
      const tail = isKept || isFollowed ? readTail() : null;
      const printedBytes = total();
      const hasMore = tail !== null && printedBytes > tail.length;
      if (hasMore) head ??= readBytes(fd, 0, outputHeadBytesMax);
      closeSync(fd);
      return { head: hasMore ? head : null, tail, printedBytes };
    },
  };
}
