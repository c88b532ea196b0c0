#!/usr/bin/env node
/**
 * Runs the local cloud on the Node that comes with this package, whatever Node the host has: plain
 * JavaScript, because an older Node must be able to read it. Only the words, the streams, the
 * signals and the exit code pass through; when this process dies, the other one ends too.
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);
const majorNeeded = 24;

if (Number.parseInt(process.versions.node, 10) >= majorNeeded) {
  await import('./lifeline.mjs');
  await import('../main.ts');
} else {
  const node = ownNode();
  if (node === undefined) {
    console.error('edgewise-local: the packages are not installed.\n  Run: npm ci');
    process.exit(1);
  }
  const child = spawn(node, [self, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, EDGEWISE_LOCAL_LIFELINE: '3' },
  });
  // A terminal sends Ctrl-C to both; the other one takes the two for one.
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
  });
}

function ownNode() {
  try {
    const manifest = createRequire(self).resolve('node/package.json');
    return join(dirname(manifest), 'bin', 'node');
  } catch {
    return undefined;
  }
}
