import { UsageError } from '../program/usage-error.ts';
import { portMax } from './limits.ts';

/** Where figures are read. A port alone is one of this machine's own, for nobody else. */
export type MetricsAddress = { readonly host: string; readonly port: number };

/** `9464`, `0.0.0.0:9464` or `[::1]:9464`; 0 is any free port. */
export function parseMetrics(text: string | undefined): MetricsAddress | null {
  if (text === undefined) return null;
  const match = /^(?:(\[[0-9a-f:.]+\]|[a-z0-9.-]+):)?(\d{1,5})$/i.exec(text);
  const port = Number(match?.[2]);
  if (match === null || port > portMax) {
    throw new UsageError(`--metrics is PORT, or HOST:PORT for others to read, not "${text}".`);
  }
  const host = match[1]?.replace(/^\[|\]$/g, '') ?? '127.0.0.1';
  return { host, port };
}

export function isLoopback(host: string): boolean {
  return /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host) || ['localhost', '::1'].includes(host);
}
