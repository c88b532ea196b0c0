/**
 * Which names a request may be addressed to: those of this machine, and those that the start was
 * given. A page in a browser can have its own name answered with 127.0.0.1 (DNS rebinding) and then
 * speaks to these ports as to its own server; what gives it away is the name that it asks for.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isIPv4 } from 'node:net';
import type { Duplex } from 'node:stream';

/** True when a request with this `Host` may be answered. */
export type HostCheck = (host: string | undefined) => boolean;

/** `named`: further names, each without a port. */
export function hostCheck(named: readonly string[]): HostCheck {
  const names = new Set(named.map((name) => name.toLowerCase()));
  return (host) => {
    if (host === undefined) return false;
    const name = host.toLowerCase().replace(/:\d+$/, '');
    return isLoopback(name) || names.has(name);
  };
}

/** `.localhost` belongs to this machine and to no name server (RFC 6761, 6.3). */
function isLoopback(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost') || name === '[::1]') return true;
  return isIPv4(name) && name.startsWith('127.');
}

/** Answers what is meant for another machine with 421, and hands on the rest. */
export function forThisMachine(isKnown: HostCheck, listener: RequestListener): RequestListener {
  return (message, res) => {
    if (isKnown(message.headers.host)) return listener(message, res);
    refuse(message, res);
  };
}

type UpgradeListener = (message: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** The same for a request that wants another protocol, which a page may send to any name. */
export function upgradeForThisMachine(
  isKnown: HostCheck,
  listener: UpgradeListener,
): UpgradeListener {
  return (message, socket, head) => {
    if (isKnown(message.headers.host)) return listener(message, socket, head);
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 421 Misdirected Request\r\nconnection: close\r\n\r\n');
  };
}

/** Any other protocol, such as the `h2c` that Java's client offers, is passed over. */
export const wantsWebSocket = (message: IncomingMessage): boolean =>
  message.headers.upgrade?.toLowerCase() === 'websocket';

function refuse(message: IncomingMessage, res: ServerResponse): void {
  message.resume();
  const sentence =
    'This request is not addressed to this machine. The local cloud answers to 127.0.0.1, ' +
    'localhost and the names that it was started with (--allow-host NAME).';
  const text = JSON.stringify({ __type: 'MisdirectedRequest', message: sentence });
  res.writeHead(421, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-amzn-errortype': 'MisdirectedRequest',
    // A connection that was opened for another name is of no further use.
    connection: 'close',
  });
  res.end(text);
}
