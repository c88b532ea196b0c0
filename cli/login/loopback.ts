import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { signInMsMax } from '../limits.ts';

/**
 * Where the browser comes back to after a sign-in: a listener on this machine, for this one answer
 * (RFC 8252, 7.3). It answers one path, once, and only what is addressed to this machine.
 */
export type Loopback = {
  readonly redirectUri: string;
  /** What came back. Ends without it when nobody comes, or the user interrupts. */
  answer(interrupted: AbortSignal): Promise<URLSearchParams>;
  close(): void;
};

const path = '/signed-in';
const page = 'You may close this page and go back to the terminal.\n';

export async function openLoopback(port: number): Promise<Loopback> {
  let arrived: (query: URLSearchParams) => void = () => {};
  const query = new Promise<URLSearchParams>((resolve) => {
    arrived = resolve;
  });
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', redirectUri);
    const isOurs = request.headers.host === url.host && url.pathname === path;
    response.writeHead(isOurs ? 200 : 404, { 'content-type': 'text/plain', connection: 'close' });
    response.end(isOurs ? page : 'not found\n');
    if (isOurs) arrived(url.searchParams);
  });
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: Error): void =>
      reject(new Failure(exitCode.failure, `Port ${port} cannot be listened on.`, error.message));
    server.once('error', refuse).listen(port, '127.0.0.1', resolve);
  });
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  return {
    redirectUri,
    async answer(interrupted) {
      const end = AbortSignal.any([interrupted, AbortSignal.timeout(signInMsMax)]);
      const ended = new Promise<null>((resolve) => {
        end.addEventListener('abort', () => resolve(null), { once: true });
      });
      const found = end.aborted ? null : await Promise.race([query, ended]);
      if (found !== null) return found;
      throw new Failure(exitCode.timedOut, 'Nobody signed in.', 'Run "edgewise login" again.');
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
