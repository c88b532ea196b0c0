import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/**
 * A real browser for the tests: Debian's chromium, installed where it is missing and where this
 * process may install. Where it cannot be, the tests are skipped and the reason is printed, never
 * silently.
 */
export type Found = { readonly path: string } | { readonly path: null; readonly reason: string };

const installMs = 300_000;
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

function findChromium(): Found {
  const here = places.find((path) => existsSync(path));
  if (here !== undefined) return { path: here };
  if (process.getuid?.() !== 0) return { path: null, reason: 'no chromium, and not root' };
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const options = { env, timeout: installMs, stdio: 'ignore' } as const;
    execFileSync('apt-get', ['update', '-qq'], options);
    execFileSync('apt-get', ['install', '-y', '-qq', 'chromium'], options);
  } catch {
    return { path: null, reason: 'no chromium, and apt-get could not install it' };
  }
  const installed = places.find((path) => existsSync(path));
  if (installed !== undefined) return { path: installed };
  return { path: null, reason: 'apt-get installed no chromium' };
}

export const found = findChromium();
if (found.path === null) console.warn(`browser tests are skipped: ${found.reason}`);

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-sync',
  '--no-first-run',
  '--no-proxy-server',
];

export function openBrowser(): Promise<Browser> {
  if (found.path === null) throw new Error(found.reason);
  return chromium.launch({ executablePath: found.path, args });
}
