import { createReadStream } from 'node:fs';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { UploadAnswer } from '../../core/contract/files/file-body.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { requestAttemptsMax, retryFirstMs, uploadStallMs } from '../limits.ts';
import type { Terminal } from '../terminal.ts';
import type { FileSource } from './local-input.ts';

type Upload = Extract<UploadAnswer, { readonly present: false }>;

/** Puts a file to its address, from the disk as it is read; again when the connection breaks. */
export async function putFile(
  terminal: Terminal,
  upload: Upload,
  source: FileSource,
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
  { bytes, from }: FileSource,
  signal: AbortSignal,
  moved: (bytes: number) => void,
): Promise<number | string> {
  const send = uploadUrl.startsWith('https:') ? httpsRequest : httpRequest;
  const request = send(uploadUrl, {
    method: 'PUT',
    headers: { ...headers, 'content-length': bytes },
    timeout: uploadStallMs,
    signal,
  });
  request.once('timeout', () => request.destroy(new Error('it stands still')));
  const answered = answerTo(request);
  const body = 'text' in from ? Readable.from([Buffer.from(from.text)]) : fileStream(from.file);
  body.on('data', (chunk: Buffer) => moved(chunk.length));
  const ended = pipeline(body, request).catch(() => undefined);
  const [answer] = await Promise.all([answered, ended]);
  return answer;
}

const fileStream = (file: string): Readable => createReadStream(file, { highWaterMark: 262_144 });

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

function refused({ name }: FileSource, status: number): Failure {
  return status === 400
    ? new Failure(exitCode.failure, `${name} was changed while it was sent.`, 'Submit again.')
    : new Failure(exitCode.failure, `The store refuses ${name} with ${status}.`, 'Submit again.');
}
