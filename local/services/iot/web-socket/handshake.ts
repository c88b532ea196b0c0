/**
 * The request that begins MQTT over WebSocket: `GET /mqtt`, the subprotocol of MQTT, and a
 * signature in the query
 * (https://docs.aws.amazon.com/iot/latest/developerguide/protocols.html#mqtt-ws).
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Signer } from '../broker/peer.ts';

/** Who signed a request, or the sentence of AWS's refusal. */
export type SignedBy = (request: IncomingMessage) => Signer | string;

type Refusal = {
  readonly status: number;
  readonly type: string;
  readonly message: string;
};

/** That of MQTT 3.1.1 and 5, and the older one that Paho's clients offer first. */
export const subprotocols: readonly string[] = ['mqtt', 'mqttv3.1'];

/** Who may go on, or how it is refused. */
export function handshake(request: IncomingMessage, signedBy: SignedBy): Signer | Refusal {
  const [path] = (request.url ?? '').split('?', 1);
  if (path !== '/mqtt') {
    return { status: 404, type: 'ResourceNotFoundException', message: 'Not Found' };
  }
  const signer = signedBy(request);
  if (typeof signer === 'string') {
    return { status: 403, type: 'ForbiddenException', message: signer };
  }
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',');
  if (!offered.some((name) => subprotocols.includes(name.trim()))) {
    const message = `Sec-WebSocket-Protocol should offer ${subprotocols[0]}.`;
    return { status: 400, type: 'InvalidRequestException', message };
  }
  return signer;
}

/** A request to upgrade has no response object: its answer is written as it stands. */
export function refuseUpgrade(socket: Duplex, refusal: Refusal): void {
  const body = JSON.stringify({ message: refusal.message, traceId: randomUUID() });
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'x-amzn-requestid': randomUUID(),
    'x-amzn-errortype': refusal.type,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const reason = refusal.status === 403 ? 'Forbidden' : 'Refused';
  socket.on('error', () => undefined);
  socket.end(`HTTP/1.1 ${refusal.status} ${reason}\r\n${lines.join('')}\r\n${body}`);
}
