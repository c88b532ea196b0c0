import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { uploadStallMs } from './limits.ts';

/**
 * Puts bytes to an address as they are read. The store compares them with the digest that is part
 * of the address: 400 means that they are others.
 */
export type Upload = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: number;
  /** Hands on its pieces; answers how many bytes there were. */
  readonly read: (take: (piece: Buffer) => Promise<void>) => Promise<number>;
};

/** The status of the answer, or why there is none. */
export async function putFile(upload: Upload, signal: AbortSignal): Promise<number | string> {
  const { url, headers, bytes } = upload;
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const request = send(url, {
    method: 'PUT',
    headers: { ...headers, 'content-length': bytes },
    timeout: uploadStallMs,
    signal,
  });
  request.once('timeout', () => request.destroy(new Error('it stands still')));
  const answered = answerTo(request);
  const isOver = answered.then(() => true);
  const take = async (piece: Buffer): Promise<void> => {
    if (request.destroyed || request.write(piece)) return;
    await Promise.race([new Promise((resolve) => request.once('drain', resolve)), isOver]);
  };
  let sent: number;
  try {
    sent = await upload.read(take);
  } catch (error) {
    request.destroy(error as Error);
    await answered;
    throw error;
  }
  if (sent < bytes) request.destroy(new Error('the file has become shorter'));
  else request.end();
  return answered;
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
