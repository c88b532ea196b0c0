#!/usr/bin/env node
/**
 * Runs the client on the Node of this repository, whatever Node the host has: plain JavaScript,
 * because an older Node must be able to read it. Only the words, the streams, the signals and the
 * exit code pass through.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);
const entry = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const cache = fileURLToPath(new URL('../node_modules/.cache/edgewise', import.meta.url));
const ownNode = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));
const majorNeeded = 24;

if (Number.parseInt(process.versions.node, 10) >= majorNeeded) {
  // Types are stripped and modules compiled once; without this every start does it again.
  module.enableCompileCache(cache);
  process.argv[1] = entry;
  await import('../cli/main.ts');
} else if (!existsSync(ownNode)) {
  console.error('edgewise: the packages are not installed.\n  Run: npm ci');
  process.exitCode = 1;
} else {
  const lifeline = fileURLToPath(new URL('../scripts/process/lifeline.mjs', import.meta.url));
  const child = spawn(ownNode, ['--import', lifeline, self, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, EDGEWISE_LIFELINE: '3' },
  });
  // A terminal sends Ctrl-C to both; the client takes the two for one.
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
  });
}
