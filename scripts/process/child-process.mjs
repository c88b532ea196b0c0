/**
 * A program that runs beside this one and never outlives it: it holds a pipe from here
 * (`lifeline.mjs`), it is in a process group of its own so that a Ctrl-C reaches only this program,
 * and it is stopped in order: SIGTERM, then SIGKILL for the group.
 */
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { node, root, toolEnvironment } from '../repository.mjs';

/** @import { ChildProcess } from 'node:child_process' */

const lifeline = join(root, 'scripts', 'process', 'lifeline.mjs');
const lastLinesMax = 5;

/**
 * @typedef {object} ChildProgram
 * @property {string} name
 * @property {string} script
 * @property {readonly string[]} args
 * @property {NodeJS.ProcessEnv} [env]
 * @property {string} logPath
 */
/** @typedef {{ code: number | null, signal: string | null, error: Error | null }} Ended */
/** @typedef {ReturnType<typeof startChildProcess>} StartedProcess */

/** @param {ChildProgram} program */
export function startChildProcess({ name, script, args, env = {}, logPath }) {
  // It stands in the state directory and may be the first in it.
  mkdirSync(dirname(logPath), { recursive: true, mode: 0o700 });
  const log = createWriteStream(logPath, { flags: 'a' });
  const child = spawn(node, ['--import', lifeline, join(root, script), ...args], {
    cwd: root,
    detached: true,
    env: toolEnvironment({ ...withoutSettings(), ...env, EDGEWISE_LIFELINE: '3' }),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  /** @type {string[]} */
  let lastLines = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part) => {
      log.write(part);
      const lines = String(part)
        .split('\n')
        .filter((line) => line.trim() !== '');
      lastLines = [...lastLines, ...lines].slice(-lastLinesMax);
    });
  }
  /** @type {Promise<Ended>} */
  const ended = new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: 1, signal: null, error }));
    child.on('close', (code, signal) => resolve({ code, signal, error: null }));
  });
  void ended.then(() => log.end());
  return {
    name,
    pid: child.pid,
    ended,
    lastLines: () => lastLines,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    stop: (/** @type {number} */ graceMs) => stopGroup(child, ended, graceMs),
  };
}

/** What this shell says of other fleets and APIs is not meant for what is started here. */
function withoutSettings() {
  const names = Object.keys(process.env).filter((name) => name.startsWith('EDGEWISE_'));
  return Object.fromEntries(
    names.filter((name) => name !== 'EDGEWISE_DEBUG').map((name) => [name, undefined]),
  );
}

/**
 * @param {ChildProcess} child
 * @param {Promise<unknown>} ended
 * @param {number} graceMs
 */
async function stopGroup(child, ended, graceMs) {
  /** @param {NodeJS.Signals} signal */
  const kill = (signal) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // The whole group is gone already.
    }
  };
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    const timer = setTimeout(() => kill('SIGKILL'), graceMs);
    await ended;
    clearTimeout(timer);
  }
  kill('SIGKILL');
}
