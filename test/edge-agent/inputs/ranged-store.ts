import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A store of one object, which knows ranges and tags as S3 does, and can misbehave. */
export type RangedStore = {
  readonly url: string;
  /** From its first byte to its last one, in the order in which they were asked for. */
  readonly asked: { readonly start: number; readonly end: number; readonly ifMatch: string }[];
  /** Requests that are not answered to their end. */
  readonly underWay: () => number;
  close(): Promise<void>;
};

export type Misbehaviour = {
  tag?: string;
  /** `all`: it sends everything whatever is asked for; `other`: not the part that was asked for. */
  ranges?: 'all' | 'other';
  /** What becomes of an answer that would begin there; `number`: it breaks off after so many. */
  at?: (start: number) => number | 'held' | 'refused' | 'gone' | null;
};

export async function startRangedStore(
  content: () => Buffer,
  how: Misbehaviour = {},
): Promise<RangedStore> {
  const asked: RangedStore['asked'][number][] = [];
  let underWay = 0;
  const server = createServer((request, response) => {
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
    });
    const range = rangeOf(request, content().length, how);
    asked.push({ ...range, ifMatch: request.headers['if-match'] ?? '' });
    answer(request, response, content(), range, how);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    underWay: () => underWay,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function rangeOf({ headers }: IncomingMessage, length: number, { ranges }: Misbehaviour) {
  const match = ranges === 'all' ? null : /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '');
  if (match === null) return { start: 0, end: length - 1 };
  const [start, last] = [Number(match[1]), match[2] === '' ? length - 1 : Number(match[2])];
  return { start, end: Math.min(last, length - 1) };
}

function answer(
  { headers }: IncomingMessage,
  response: ServerResponse,
  content: Buffer,
  { start, end }: { readonly start: number; readonly end: number },
  { tag = '"one"', ranges, at = () => null }: Misbehaviour,
): void {
  const isOther = headers['if-match'] !== undefined && headers['if-match'] !== tag;
  if (isOther) return void response.writeHead(412).end();
  const isPart = headers.range !== undefined && ranges !== 'all';
  if (isPart && start >= content.length) return void response.writeHead(416).end('<Error/>');
  const what = at(start);
  if (what === 'refused') return void response.writeHead(503).end();
  if (what === 'gone') return void response.writeHead(404).end();
  const shift = ranges === 'other' ? 1 : 0;
  const place = `bytes ${start + shift}-${end}/${content.length}`;
  const body = content.subarray(start + shift, end + 1);
  response.writeHead(isPart ? 206 : 200, {
    ...{ 'content-length': body.length, etag: tag },
    ...(isPart && { 'content-range': place }),
  });
  if (what === null) return void response.end(body);
  response.flushHeaders();
  if (what === 'held') return;
  response.write(body.subarray(0, what), () => response.destroy());
}
