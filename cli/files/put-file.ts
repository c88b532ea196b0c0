import { createReadStream } from 'node:fs';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
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
  { bytes, from, start = 0 }: SentBytes,
  signal: AbortSignal,
  moved: (bytes: number) => void,
): Promise<number | string> {
  const sent = (file: string): Readable => {
    const end = start + bytes - 1;
    // Of an empty file there is no last byte.
    if (bytes === 0) return Readable.from([]);
    return createReadStream(file, { start, end, highWaterMark: readBytes });
  };
  const send = uploadUrl.startsWith('https:') ? httpsRequest : httpRequest;
  const request = send(uploadUrl, {
    method: 'PUT',
    headers: { ...headers, 'content-length': bytes },
    timeout: uploadStallMs,
    signal,
  });
  request.once('timeout', () => request.destroy(new Error('it stands still')));
  const answered = answerTo(request);
  const body = 'text' in from ? Readable.from([Buffer.from(from.text)]) : sent(from.file);
  body.on('data', (chunk: Buffer) => moved(chunk.length));
  const ended = pipeline(body, request).catch(() => undefined);
  const [answer] = await Promise.all([answered, ended]);
  return answer;
}

function answerTo(request: ClientRequest): Promise<number | string> {
  return new Promise((resolve) => {
    request.once('error', (error) => resolve(error.message));
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
