import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientId, type Issuer, startIssuer } from '../../sign-in/issuer.ts';

/** An issuer, an API that sends people there, and the configuration of somebody who has neither. */
export type SignedInPlace = {
  readonly issuer: Issuer;
  readonly api: string;
  readonly directory: string;
  readonly config: string;
  /** What the API says of itself. */
  health: object;
  /** Tokens that the API takes no more, and all that came with a request for jobs. */
  readonly ended: Set<string>;
  readonly seen: string[];
  contexts(): Readonly<Record<string, KeptContext>>;
  write(contexts: Readonly<Record<string, KeptContext>>): void;
  close(): Promise<void>;
};

export type KeptContext = {
  readonly api: string;
  readonly token: string;
  readonly renewal?: { readonly refreshToken: string } | null;
};

export async function makeSignedInPlace(): Promise<SignedInPlace> {
  const issuer = await startIssuer();
  const directory = mkdtempSync(join(tmpdir(), 'edgewise-login-'));
  const config = join(directory, 'config.json');
  const server = createServer((request, response) => {
    if (request.url === '/v1/health') return void response.end(JSON.stringify(place.health));
    const token = (request.headers.authorization ?? '').replace('Bearer ', '');
    place.seen.push(token);
    if (!place.ended.has(token)) return void response.end('{"items":[],"cursor":null}');
    response.writeHead(401).end('{"title":"The token is not accepted.","status":401}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place: SignedInPlace = {
    issuer,
    api: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    directory,
    config,
    health: { ok: true, version: '1', signIn: { issuer: issuer.url, clientId } },
    ended: new Set(),
    seen: [],
    contexts: () => JSON.parse(readFileSync(config, 'utf8')).contexts,
    write: (contexts) => {
      const text = JSON.stringify({ current: Object.keys(contexts)[0], contexts });
      writeFileSync(config, text, { mode: 0o600 });
    },
    async close() {
      await issuer.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return place;
}
