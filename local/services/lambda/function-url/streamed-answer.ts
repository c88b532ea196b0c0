/**
 * A streamed answer as HTTP: status and headers as JSON, eight zero bytes, the body; or only a body
 * (https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html).
 */
import type { ServerResponse } from 'node:http';
import { streamHeadBytesMax } from '../../../limits.ts';
import type { StreamedAnswer } from '../definition.ts';

const integrationType = 'application/vnd.awslambda.http-integration-response';
const headEnd = Buffer.alloc(8);

/** Its end is written by who knows whether the function came to its own. */
export function sendStreamed({ contentType, body }: StreamedAnswer, res: ServerResponse): void {
  // What nobody reads any more is still taken from the function, which would wait otherwise.
  const forget = (): void => {
    body.unpipe(res);
    body.resume();
  };
  res.on('close', forget);
  body.on('error', () => res.destroy());
  if (contentType !== integrationType) {
    res.writeHead(200, { 'content-type': contentType });
    body.pipe(res, { end: false });
    return;
  }
  let held = Buffer.alloc(0);
  const take = (part: Buffer): void => {
    held = Buffer.concat([held, part]);
    const end = held.indexOf(headEnd);
    if (end < 0 && held.length <= streamHeadBytesMax) return;
    body.off('data', take);
    const head = end < 0 ? undefined : headOf(held.subarray(0, end));
    if (head === undefined) {
      res.writeHead(502).end();
      return;
    }
    res.writeHead(head.status, head.headers);
    res.flushHeaders();
    const rest = held.subarray(end + headEnd.length);
    if (rest.length > 0) res.write(rest);
    body.pipe(res, { end: false });
  };
  body.on('data', take);
}

type Head = { readonly status: number; readonly headers: Record<string, string> };

/** Undefined when nothing can be made of it. */
function headOf(bytes: Buffer): Head | undefined {
  try {
    const { statusCode = 200, headers = {} } = JSON.parse(bytes.toString());
    const status = Number(statusCode);
    if (!Number.isInteger(status) || status < 100 || status > 599) return undefined;
    const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    return { status, headers: Object.fromEntries(pairs) };
  } catch {
    return undefined;
  }
}
