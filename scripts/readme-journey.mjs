/**
 * The journey of the README, timed: a fresh clone, and then only what the README says, word for
 * word, to the first own job done, the second fleet added and the failed chunk's output read. `node
 * scripts/readme-journey.mjs`; the commands are taken from the README, so that one that stopped
 * working fails here first. With `--day` it goes on with a day's work in that clone, which the
 * longer checks run where they are.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endWith, root, Stop } from './repository.mjs';

/** @import { ChildProcess } from 'node:child_process' */

const stepMsMax = 180_000;
const fleetMs = 6_000;
/** Files, sweeps, schedules, live output and receivers, as the page of real work promises them. */
const daysWork = 'npx vitest run --project flow test/flow/clients/day-of-work.test.ts';
const dayMsMax = 900_000;
const portsFrom = 10_000;
const portBases = 1_000;
const portsNeeded = 10;
const portTriesMax = 50;

async function main() {
  const clone = mkdtempSync(join(tmpdir(), 'edgewise-journey-'));
  let steps = 0;
  /** @param {string} title @param {() => unknown} act */
  const time = async (title, act) => {
    const startMs = performance.now();
    await act();
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
    console.log(`${seconds.padStart(6)} s  ${title}`);
    steps++;
  };
  /** @type {ReturnType<typeof startStage> | undefined} */
  let stage;
  try {
    await time('git clone', () => runOrStop(tmpdir(), `git clone -q ${root} ${clone}`));
    const portBase = await freePort();
    await time('npm start, until it says what to try', async () => {
      stage = startStage(clone, portBase);
      return stage.ready;
    });
    for (const command of readCommands(clone)) {
      if (command.includes(' fleet ')) await time(command, () => runForAWhile(clone, command));
      else await time(command, () => runOrStop(clone, command, exitCodeOf(command)));
    }
    await time('Ctrl-C', () => stage?.stop());
    if (process.argv.includes('--day')) {
      await time("a day's work", () => runOrStop(clone, daysWork, 0, dayMsMax));
    }
  } finally {
    await stage?.stop();
    rmSync(clone, { recursive: true, force: true });
  }
  console.log(`${steps} passed, 0 failed`);
}

/**
 * The client commands of the README's section about the first job.
 *
 * @param {string} clone
 */
function readCommands(clone) {
  const text = readFileSync(join(clone, 'README.md'), 'utf8');
  const section = text.slice(text.indexOf('### Your first job'));
  const block = /```sh\n([\s\S]*?)```/.exec(section)?.[1] ?? '';
  const commands = block
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, ''))
    .filter((line) => line.startsWith('npx edgewise'));
  if (commands.length < 4) throw new Stop('The README has lost the commands of the first job.');
  return commands;
}

/**
 * The README's failing job fails, and says so with 7.
 *
 * @param {string} command
 */
function exitCodeOf(command) {
  return command.includes('exit 3') ? 7 : 0;
}

/** @param {string} clone @param {number} portBase */
function startStage(clone, portBase) {
  const child = spawn('npm', ['start', '--', '--port-base', String(portBase)], {
    cwd: clone,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const ended = new Promise((resolve) => child.on('close', resolve));
  /** @type {Promise<void>} */
  const ready = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Stop(`npm start is slow:\n${text}`)), stepMsMax);
    const settle = (/** @type {() => void} */ act) => {
      clearTimeout(timer);
      act();
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (part) => {
        text += part;
        if (text.includes('Ctrl-C stops everything')) settle(resolve);
      });
    }
    ended.then(() => settle(() => reject(new Stop(`npm start ended:\n${text}`))));
  });
  let over = false;
  void ended.then(() => {
    over = true;
  });
  const stop = async () => {
    if (!over) interrupt(child);
    await ended;
  };
  return { ready, stop };
}

/** As a terminal does: to the whole group. @param {ChildProcess} child */
function interrupt(child) {
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
}

/** @param {string} cwd @param {string} command */
function runOrStop(cwd, command, expected = 0, timeout = stepMsMax) {
  const result = spawnSync('bash', ['-c', command], { cwd, encoding: 'utf8', timeout });
  if (result.status === expected) return;
  throw new Stop(`"${command}" ended with ${result.status}:\n${result.stdout}${result.stderr}`);
}

/**
 * A command that goes on until Ctrl-C.
 *
 * @param {string} cwd
 * @param {string} command
 */
async function runForAWhile(cwd, command) {
  const child = spawn('bash', ['-c', command], { cwd, detached: true, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('close', resolve));
  await delay(fleetMs);
  if (child.exitCode !== null) throw new Stop(`"${command}" ended with ${child.exitCode}.`);
  interrupt(child);
  await ended;
}

/** Of ports below those that outgoing connections take, one whose neighbours are free too. */
async function freePort() {
  for (let tries = 0; tries < portTriesMax; tries++) {
    const base = portsFrom + Math.floor(Math.random() * portBases) * portsNeeded;
    const ports = Array.from({ length: portsNeeded }, (_, offset) => base + offset);
    if ((await Promise.all(ports.map(isFree))).every((free) => free)) return base;
  }
  throw new Stop('No free ports were found.');
}

/** @param {number} port @returns {Promise<boolean>} */
function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

await main().catch(endWith);
