import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

import { tunnelAnswerBytesMax } from '../limits.ts';
import { isLoopback } from './broker-address.ts';

/**
 * The proxy that the environment of this process names, as curl, Node and Bun understand it:
 * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, the names in small letters first. Requests go through
 * it by themselves; what is here is for the broker, to which a proxy opens a tunnel.
 */
export type Proxy = {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** The header, where the proxy wants to know who asks. */
  readonly authorization: string | null;
};

type Environment = Readonly<Record<string, string | undefined>>;
type Target = { readonly host: string; readonly port: number };

export class ProxyError extends Error {}

/** `null`: it is asked directly. Throws for an address that is none; its words are no secret. */
export function proxyFor(scheme: 'https' | 'http', to: Target, env: Environment): Proxy | null {
  const name = `${scheme}_proxy`;
  const text = env[name] || env[name.toUpperCase()] || '';
  if (text === '' || isLoopback(to.host)) return null;
  if (isDirect(to, env.no_proxy || env.NO_PROXY || '')) return null;
  const given = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    const form = 'http://HOST:PORT or https://HOST:PORT, with USER:PASSWORD@ before the host';
    throw new ProxyError(`${name.toUpperCase()} is not understood: it is ${form}.`);
  }
  const isTls = url.protocol === 'https:';
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { host, port, isTls, authorization: authorizationOf(url) };
}

function authorizationOf({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  const words = [username, password].map(decode).join(':');
  return `Basic ${Buffer.from(words).toString('base64')}`;
}

/** A password with a lone percent sign is one all the same. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `*`, or names with all that end in them; a port belongs to the one that it stands at. */
function isDirect({ host, port }: Target, noProxy: string): boolean {
  const wanted = host.toLowerCase();
  return noProxy.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true;
    const [, name = '', only] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(entryOf(entry)) ?? [];
    if (name === '' || (only !== undefined && Number(only) !== port)) return false;
    return wanted === name || (isIP(wanted) === 0 && wanted.endsWith(`.${name}`));
  });
}

/** An address of IPv6 without brackets has no port. */
function entryOf(entry: string): string {
  const name = entry.toLowerCase().replace(/^\*?\./, '');
  return isIP(name) === 6 ? `[${name}]` : name;
}

/** A connection to the target, through the proxy: nothing was said on it yet. */
export function openTunnel(proxy: Proxy, to: Target, timeoutMs: number): Promise<Socket> {
  const { host, port, isTls, authorization } = proxy;
  const address = { host, port };
  const named = isIP(host) === 0 ? { servername: host } : {};
  const socket = isTls ? connectTls({ ...address, ...named }) : connectPlain(address);
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      socket.destroy();
      reject(new ProxyError(`the proxy ${host}:${port} ${why}`));
    };
    const timer = setTimeout(() => fail('does not answer'), timeoutMs);
    const closed = (): void => fail('hung up');
    const failed = (error: Error): void => fail(`is not reached: ${error.message}`);
    let head = Buffer.alloc(0);
    const arrived = (bytes: Buffer): void => {
      head = Buffer.concat([head, bytes]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0 && head.length <= tunnelAnswerBytesMax) return;
      clearTimeout(timer);
      const [, status = ''] = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1')) ?? [];
      if (end < 0 || !status.startsWith('2')) {
        fail(refusalOf(status));
        return;
      }
      socket.off('data', arrived).off('error', failed).off('close', closed).pause();
      const rest = head.subarray(end + 4);
      if (rest.length > 0) socket.unshift(rest);
      resolve(socket);
    };
    socket.on('data', arrived).on('error', failed).on('close', closed);
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      socket.setNoDelay(true);
      const target = `${isIP(to.host) === 6 ? `[${to.host}]` : to.host}:${to.port}`;
      const who = authorization === null ? '' : `Proxy-Authorization: ${authorization}\r\n`;
      socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${who}\r\n`);
    });
  });
}

function refusalOf(status: string): string {
  if (status === '407') return 'wants a user and a password, or others (407)';
  return status === '' ? 'does not answer as a proxy' : `opens no tunnel (${status})`;
}
