import { createHash, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatPublicKey } from '../../../edge-agent/host/public-key.ts';
import type { Installed } from '../../../edge-agent/update/update-program.ts';
import { signManifest } from '../../../scripts/release/sign-manifest.ts';

export const programName = 'edgewise-agent-linux-x64';

/** A program that says which version it is, as the agent does. */
export const programOf = (version: string): Buffer =>
  Buffer.from(`#!/bin/sh\necho "edgewise-agent ${version}"\n`);

export function makeKey(): { readonly privateKey: KeyObject; readonly publicKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  return { privateKey, publicKey: formatPublicKey(createPublicKey(privateKey)) };
}

export type ServedRelease = {
  /** What is answered, by path; a test changes it. */
  readonly files: Map<string, Buffer>;
  readonly installed: Installed & { readonly path: string };
  readonly directory: string;
  /** Signs a release of this program and lays it out. */
  release(version: string, program?: Buffer, key?: KeyObject): void;
  policy(text?: object): string;
  close(): Promise<void>;
};

/** A machine with version 1.0.0 of the agent, and a server that has releases. */
export async function serveRelease(): Promise<ServedRelease> {
  const directory = mkdtempSync(join(tmpdir(), 'edgewise-update-'));
  const { privateKey, publicKey } = makeKey();
  const files = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const body = files.get(request.url ?? '');
    if (body === undefined) response.writeHead(404).end();
    else response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}/stable`;
  const path = join(directory, 'edgewise-agent');
  writeFileSync(path, programOf('1.0.0'));
  chmodSync(path, 0o755);
  return {
    files,
    directory,
    installed: { name: programName, version: '1.0.0', path },
    release(version, program = programOf(version), key = privateKey) {
      const sha256 = createHash('sha256').update(program).digest('hex');
      const programs = new Map([[programName, { bytes: program.length, sha256 }]]);
      const content = { version, madeAt: '2026-01-01T00:00:00.000Z', programs };
      files.set('/stable/manifest.json', Buffer.from(signManifest(content, key)));
      files.set(`/stable/${programName}`, program);
    },
    policy(updates = { from, signers: { acme: publicKey } }) {
      const file = join(directory, 'policy.json');
      writeFileSync(file, JSON.stringify({ updates }));
      return file;
    },
    close: async () => {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      rmSync(directory, { recursive: true });
    },
  };
}
