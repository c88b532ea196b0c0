/** The ports of one local cloud, counted from its base, and the sentence for one that is taken. */
import type { Server } from 'node:net';
import { errorCode, StartFailure } from '../failure.ts';

export const host = '127.0.0.1';

export type Ports = {
  readonly gateway: number;
  readonly api: number;
  readonly mqtt: number;
  readonly database: number;
  /** Distributions: the first one is base+4. */
  site(index: number): number;
  /** HTTP APIs after the first one. */
  moreApis(index: number): number;
  /** Functions with an address of their own: the first one is base+6. */
  functionUrl(index: number): number;
};

export function portsFrom(base: number): Ports {
  return {
    gateway: base,
    api: base + 1,
    mqtt: base + 2,
    database: base + 3,
    site: (index) => base + 4 + 3 * index,
    moreApis: (index) => base + 2 + 3 * index,
    functionUrl: (index) => base + 6 + 3 * index,
  };
}

export function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: unknown): void => reject(portFailure(error, port));
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

/** A clear sentence for a busy port; any other error as it is. */
export function portFailure(error: unknown, port: number): unknown {
  const code = errorCode(error);
  if (code === 'EADDRINUSE') return new StartFailure(busySentence(port));
  if (code === 'EACCES') {
    return new StartFailure(`Port ${port} needs more rights; choose others with --port-base N.`);
  }
  return error;
}

export function busySentence(port: number): string {
  const remedy = 'stop it or choose other ports with --port-base N.';
  return `Port ${port} is used by another program; ${remedy}`;
}

export function close(server: { close(done: () => void): unknown; closeAllConnections(): void }) {
  return new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
