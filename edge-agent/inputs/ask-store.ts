import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';

/**
 * Asks a store for what is at an address, which is where the bytes are: it is followed nowhere
 * else. What comes is a stream of this runtime, for `fetch` makes a copy of every piece.
 */
export type Asked = {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

export async function askStore(url: string, asked: Asked): Promise<IncomingMessage> {
  try {
    return await askOnce(url, asked);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    return askOnce(url, asked);
  }
}

/** One that was kept open, and that the store has closed meanwhile. */
class StaleConnection extends Error {}

function askOnce(url: string, { headers, signal }: Asked): Promise<IncomingMessage> {
  const send = url.startsWith('https:') ? requestSecure : requestPlain;
  return new Promise((resolve, reject) => {
    const request = send(url, { headers, signal }, resolve);
    request.on('error', (error: Error & { readonly code?: string }) => {
      const isStale = request.reusedSocket && error.code === 'ECONNRESET';
      reject(isStale ? new StaleConnection(error.message) : error);
    });
    request.end();
  });
}
