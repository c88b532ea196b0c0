/**
 * Bodies in frames, with sums behind them
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html).
 */
export function bodyWithoutFrames(framed: Buffer): {
  readonly body: Buffer;
  readonly trailers: ReadonlyMap<string, string>;
} {
  const pieces: Buffer[] = [];
  let at = 0;
  for (;;) {
    const end = framed.indexOf('\r\n', at);
    if (end < 0) break;
    const bytes = Number.parseInt(framed.toString('latin1', at, end), 16);
    at = end + 2;
    if (!(bytes > 0)) break;
    pieces.push(framed.subarray(at, at + bytes));
    at += bytes + 2;
  }
  const lines = framed.toString('latin1', at).split('\r\n');
  const trailers = lines.flatMap((line): [string, string][] => {
    const colon = line.indexOf(':');
    if (colon < 0) return [];
    return [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
  });
  return { body: Buffer.concat(pieces), trailers: new Map(trailers) };
}
