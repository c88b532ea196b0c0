import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A job with one chunk, whose output of which both ends are there before the whole of it is. */
export type KeptOutput = {
  readonly url: string;
  readonly whole: Buffer;
  readonly ends: Buffer;
  /** How often it was asked from the end of its beginning. */
  asked(): number;
  close(): Promise<void>;
};

const pieceBytes = 40_000;
const [headBytes, tailBytes] = [16_384, 49_152];

/** `outputMb`: what its job keeps whole. `misses`: so often the whole is not there yet. */
export async function serveKeptOutput(
  outputMb: number | undefined,
  misses: number,
): Promise<KeptOutput> {
  const whole = Buffer.from(Array.from({ length: 25_000 }, (_, at) => `line ${at}\n`).join(''));
  const tailAt = whole.length - tailBytes;
  const ends = Buffer.concat([whole.subarray(0, headBytes), whole.subarray(tailAt)]);
  let asked = 0;
  const answer = (response: ServerResponse, bytes: Buffer, next: number, more: object = {}) => {
    const of = { 'edgewise-attempt': '2', 'edgewise-next-offset': String(next), ...more };
    const complete = { 'edgewise-complete': String(next >= whole.length) };
    response.writeHead(200, { 'content-type': 'application/octet-stream', ...of, ...complete });
    response.end(bytes);
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const offset = Number(url.searchParams.get('offset'));
    if (!url.pathname.endsWith('/output')) {
      const job = { spec: { keepOutput: 'all', ...(outputMb !== undefined && { outputMb }) } };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(job));
    } else if (!url.searchParams.has('offset')) {
      answer(response, ends, whole.length, { 'edgewise-omitted': `${headBytes}-${tailAt}` });
    } else if (offset === headBytes && ++asked <= misses) {
      answer(response, whole.subarray(tailAt), whole.length);
    } else {
      const piece = whole.subarray(offset, offset + pieceBytes);
      answer(response, piece, offset + piece.length);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, whole, ends, asked: () => asked, close };
}
