import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

export type Endpoints = { readonly api: string; readonly aws: string; readonly token: string };

/** Runs a local cloud on the synthesized app, with all its state below `home`. */
export async function withCloud<T>(
  home: string,
  out: string,
  use: (endpoints: Endpoints) => Promise<T>,
): Promise<T> {
  const state = join(home, 'state');
  const port = await freePort();
  const cloud = spawn(
    process.execPath,
    ['local/main.ts', '--app', out, '--stack', 'Edgewise', '--state', state, '--port-base', port],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    const failed = once(cloud, 'exit').then((): never => {
      throw new Error('the local cloud did not start');
    });
    failed.catch(() => {});
    await Promise.race([once(cloud.stdout!, 'data'), failed]);
    return await use(JSON.parse(readFileSync(join(state, 'endpoints.json'), 'utf8')));
  } finally {
    if (cloud.exitCode === null) {
      const ended = once(cloud, 'exit');
      cloud.kill('SIGTERM');
      await ended;
    }
  }
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return String(typeof address === 'object' && address !== null ? address.port : 0);
}
