/** One port for HTTP and HTTPS, and how it ends what it took in. */
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServerCertificate, takePlainAndTls } from '../../../engine/gateway/plain-or-tls.ts';
import { close, host, listen } from '../../../engine/ports.ts';
import { firstByteMsMax } from '../../../limits.ts';
import { ensureAuthority } from '../../../services/iot/control-plane/authority.ts';
import { temporaryDir } from '../../temporary-dir.ts';

let stateDir: string;
let certificate: ServerCertificate;

beforeAll(async () => {
  stateDir = temporaryDir();
  certificate = (await ensureAuthority(stateDir)).server;
});

afterAll(() => rmSync(stateDir, { recursive: true }));

const event = (from: { once(name: string, act: () => void): unknown }, name: string) =>
  new Promise<void>((resolve) => void from.once(name, resolve));

const withinMs = firstByteMsMax / 2;

test.each([
  ['has not said anything', ''],
  ['has begun a handshake', '\x16'],
  ['has begun a request', 'GET / HT'],
])(
  'a stop does not wait for who %s',
  async (_who, said) => {
    const server = createServer();
    const endAll = takePlainAndTls(server, certificate);
    await listen(server, 0);
    const { port } = server.address() as AddressInfo;
    const taken = event(server, 'connection');
    const client: Socket = connect(port, host);
    const ended = event(client, 'close');
    client.on('error', () => undefined);
    await taken;
    if (said !== '') await new Promise<void>((resolve) => void client.write(said, () => resolve()));
    const closed = close(server);
    endAll();
    await Promise.all([closed, ended]);
    expect(client.destroyed).toBe(true);
  },
  withinMs,
);
