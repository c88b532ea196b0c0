/** Runs one tool of this repository to its end, in a process group of its own, within its time. */
import { spawn } from 'node:child_process';
import { node, root, toolEnvironment } from '../repository.mjs';

/** @typedef {{ code: number, seconds: string, text: string }} Outcome */
/** @typedef {{ env?: NodeJS.ProcessEnv, timeoutMs?: number | undefined, quiet?: boolean }} Run */

/**
 * @param {string} title
 * @param {readonly string[]} words
 * @param {Run} run
 * @returns {Promise<Outcome>}
 */
export function runTool(title, words, { env, timeoutMs, quiet = false }) {
  const startMs = Date.now();
  const child = spawn(node, words, {
    cwd: root,
    detached: true,
    // What a test starts in turn is no part of this count.
    env: toolEnvironment({ ...env, EDGEWISE_TALLY: undefined }),
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
  });
  /** @param {NodeJS.Signals} signal */
  const end = (signal) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // Gone already.
    }
  };
  const interrupted = () => {
    end('SIGTERM');
    process.exit(130);
  };
  process.once('SIGINT', interrupted);
  process.once('SIGTERM', interrupted);
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => end('SIGKILL'), timeoutMs);
  let text = '';
  for (const stream of quiet ? [child.stdout, child.stderr] : []) {
    stream?.on('data', (part) => {
      text += part;
    });
  }
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      process.off('SIGINT', interrupted);
      process.off('SIGTERM', interrupted);
      const seconds = ((Date.now() - startMs) / 1_000).toFixed(1);
      if (signal !== null) console.log(`${title} was ended by ${signal} after ${seconds} s`);
      resolve({ code: code ?? 1, seconds, text });
    });
  });
}
