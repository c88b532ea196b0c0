import { open } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { readBytes, requestAttemptsMax, retryFirstMs, uploadStallMs } from '../limits.ts';
import type { Terminal } from '../terminal.ts';
import type { FileSource } from './local-input.ts';

export type Upload = {
  readonly uploadUrl: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** A file of this machine, or a part of it. */
export type SentBytes = Pick<FileSource, 'name' | 'bytes' | 'from'> & {
  /** Where it begins in the file. */
  readonly start?: number;
};

/** Puts a file to its address, from the disk as it is read; again when the connection breaks. */
export async function putFile(
  terminal: Terminal,
  upload: Upload,
  source: SentBytes,
  moved: (bytes: number) => void,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    let sent = 0;
    const outcome = await putOnce(upload, source, terminal.interrupted, (bytes) => {
      sent += bytes;
      moved(bytes);
    });
    if (outcome === 200) return;
    // What has not arrived is not counted.
    moved(-sent);
    if (terminal.interrupted.aborted) throw new Failure(exitCode.interrupted, 'Interrupted.');
    if (typeof outcome === 'number' && outcome < 500) throw refused(source, outcome);
    if (attempt >= requestAttemptsMax) {
      throw new Failure(
        exitCode.failure,
        `${source.name} could not be sent: ${outcome}.`,
        'What was sent stays; submit again to go on.',
      );
    }
    await terminal.sleep(retryFirstMs * 2 ** (attempt - 1) * (0.5 + terminal.random()));
  }
}

/** The status of the answer, or why there is none. */
async function putOnce(
  { uploadUrl, headers }: Upload,
  source: SentBytes,
  signal: AbortSignal,
  moved: (bytes: number) => void,
): Promise<number | string> {
  const send = uploadUrl.startsWith('https:') ? httpsRequest : httpRequest;
  const request = send(uploadUrl, {
    method: 'PUT',
    headers: { ...headers, 'content-length': source.bytes },
    timeout: uploadStallMs,
    signal,
  });
  request.once('timeout', () => request.destroy(new Error('it stands still')));
  const answered = answerTo(request);
  const isOver = answered.then(() => true);
  const write = (piece: Uint8Array): Promise<boolean> => {
    const isWritten = new Promise<boolean>((resolve) => {
      request.write(piece, (error) => resolve(error !== null && error !== undefined));
    });
    return Promise.race([isWritten, isOver]);
  };
  await sendBytes(source, write, moved).then(
    () => request.end(),
    (error: Error) => request.destroy(error),
  );
  return answered;
}

/** Until all of it is sent; `write` says whether no more is wanted. */
async function sendBytes(
  { bytes, from, start = 0 }: SentBytes,
  write: (piece: Uint8Array) => Promise<boolean>,
  moved: (bytes: number) => void,
): Promise<void> {
  if ('text' in from) {
    await write(Buffer.from(from.text));
    moved(bytes);
    return;
  }
  const file = await open(from.file);
  try {
    // One room for all: what is written has left it.
    const room = Buffer.allocUnsafeSlow(Math.min(readBytes, bytes));
    for (let at = 0; at < bytes; ) {
      const wanted = Math.min(room.length, bytes - at);
      const { bytesRead } = await file.read(room, 0, wanted, start + at);
      if (bytesRead === 0) throw new Error('the file has become shorter');
      if (await write(room.subarray(0, bytesRead))) return;
      at += bytesRead;
      moved(bytesRead);
    }
  } finally {
    await file.close();
  }
}

function answerTo(request: ClientRequest): Promise<number | string> {
  return new Promise((resolve) => {
    request.on('error', (error) => resolve(error.message));
    request.once('response', (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', (error) => resolve(error.message));
    });
  });
}

function refused({ name }: SentBytes, status: number): Failure {
  return status === 400
    ? new Failure(exitCode.failure, `${name} was changed while it was sent.`, 'Submit again.')
    : new Failure(exitCode.failure, `The store refuses ${name} with ${status}.`, 'Submit again.');
}
