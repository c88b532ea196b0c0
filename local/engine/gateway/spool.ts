/**
 * Bodies that are too large for memory: written to a file while they arrive, with the sums that
 * their sender may have declared.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { objectBytesMax } from '../../limits.ts';

export type SpooledBody = {
  readonly path: string;
  readonly bytes: number;
  /** In hex, as the name says. */
  readonly sha256: string;
  readonly md5: string;
  readonly crc32: string;
};

/** A file of this name in the directory; undefined when it is larger than an object may be. */
export async function spoolBody(
  message: IncomingMessage,
  directory: string,
): Promise<SpooledBody | undefined> {
  const path = join(directory, randomUUID());
  const [sha256, md5] = [createHash('sha256'), createHash('md5')];
  let [bytes, sum] = [0, 0];
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > objectBytesMax) return done(new Error('an object has at most 5 GB'));
      sha256.update(chunk);
      md5.update(chunk);
      sum = crc32(chunk, sum);
      done(null, chunk);
    },
  });
  try {
    await pipeline(message, measure, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    rmSync(path, { force: true });
    if (bytes > objectBytesMax) return undefined;
    throw error;
  }
  const hex = (sum >>> 0).toString(16).padStart(8, '0');
  return { path, bytes, sha256: sha256.digest('hex'), md5: md5.digest('hex'), crc32: hex };
}
