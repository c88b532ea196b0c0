import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ensureNodeTools } from '../../scripts/setup/node-tools.mjs';

/** An issuer that nobody here wrote, in a process of its own, or why there is none. */
export type CertifiedIssuer = { readonly url: string; close(): Promise<void> };

const program = 'provider.mjs';

export async function startCertifiedIssuer(): Promise<
  CertifiedIssuer | { readonly missing: string }
> {
  const { home, reason } = ensureNodeTools('issuer', () => {});
  if (home === null) return { missing: reason };
  const directory = mkdtempSync(join(tmpdir(), 'edgewise-issuer-'));
  copyFileSync(new URL(program, import.meta.url), join(directory, program));
  symlinkSync(join(home, 'node_modules'), join(directory, 'node_modules'));
  const child = spawn(process.execPath, [program], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    url: await urlOf(child),
    async close() {
      child.kill();
      await ended;
      rmSync(directory, { recursive: true });
    },
  };
}

async function urlOf({ stdout }: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: stdout! })) return JSON.parse(line).url;
  throw new Error('the issuer ended before it was ready');
}
