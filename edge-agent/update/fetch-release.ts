import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { ReleasedProgram } from '../../core/protocol/release-manifest.ts';
import { manifestBytesMax, manifestMsMax, programBytesMax, programMsMax } from '../limits.ts';

/** Why a release cannot be had, as a sentence for the owner. */
export class UpdateError extends Error {}

/** Somebody else is writing the new program: it is theirs. */
export class UpdateUnderWay extends UpdateError {}

export async function fetchManifest(from: string): Promise<unknown> {
  const url = new URL('manifest.json', from);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of bodyOf(url, manifestMsMax)) {
    bytes += chunk.length;
    if (bytes > manifestBytesMax) throw new UpdateError(`${url} is no manifest: it is too long.`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new UpdateError(`${url} is no manifest: it is not JSON.`);
  }
}

/** Into a file that is made for it, which is good only when this ends well. */
export async function fetchProgram(
  url: URL,
  { bytes, sha256 }: ReleasedProgram,
  path: string,
  progress: (part: number) => void,
): Promise<void> {
  if (bytes > programBytesMax) throw new UpdateError(`${url} is too large for a program.`);
  const file = await open(path, 'wx', 0o700).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    const why = 'another update is under way, or one was killed: then remove it';
    throw new UpdateUnderWay(`${path} is there: ${why}.`);
  });
  try {
    const hash = createHash('sha256');
    let written = 0;
    for await (const chunk of bodyOf(url, programMsMax)) {
      written += chunk.length;
      if (written > bytes) throw new UpdateError(`${url} is longer than it was signed.`);
      hash.update(chunk);
      await writeAll(file, chunk);
      progress(written / bytes);
    }
    if (written < bytes) throw new UpdateError(`${url} ends before it is whole.`);
    if (hash.digest('hex') !== sha256) throw new UpdateError(`${url} is not what was signed.`);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
}

async function* bodyOf(url: URL, msMax: number): AsyncGenerator<Uint8Array> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(msMax) });
    if (!answer.ok) throw new UpdateError(`${url} was answered with ${answer.status}.`);
    if (answer.body !== null) yield* answer.body;
  } catch (error) {
    if (error instanceof UpdateError) throw error;
    const { name, message, cause, code } = error as Error & { cause?: Error; code?: string };
    if (code === 'ENOSPC') throw error;
    const why = name === 'TimeoutError' ? 'it took too long' : (cause?.message ?? message);
    throw new UpdateError(`${url} cannot be read: ${why}.`);
  }
}
