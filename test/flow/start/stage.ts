import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Endpoints, readEndpoints } from '../../../cli/local/endpoints-file.ts';
import { engineFlags } from '../../../local/test/engine.ts';

/**
 * `npm start`, `npm run cloud` and the local cloud as a user has them, in a directory and on ports
 * of their own. Whatever is left of them when a test ends is killed by the name of that directory,
 * which every process of them carries. A permission that was missing on the way fails the test that
 * needed it.
 */
export type Stage = {
  readonly process: ChildProcess;
  /** Everything it printed so far. */
  text(): string;
  readonly ended: Promise<number | null>;
};

export type Place = {
  /** The user's working directory; the state is in `.edgewise` below it. */
  readonly directory: string;
  readonly state: string;
  readonly portBase: number;
  /** What tells each command that starts a local cloud where to do that, and on which database. */
  readonly where: readonly string[];
  start(...flags: string[]): Stage;
  /** `npm run cloud`, resolved once it is ready. */
  cloud(...flags: string[]): Promise<Stage>;
  /** The local cloud itself on a synthesized app that is not this repository's own. */
  run(outDirectory: string): Stage;
  endpoints(): Endpoints | null;
  /** Processes that work on this state, by their command lines. */
  processes(): string[];
  pids(): { readonly pid: number; readonly line: string }[];
  /** What the roles and the edge policy of the template refused so far, one line each. */
  denials(): string[];
  /** Call it when refusals are what the test is about. */
  expectDenials(): void;
  remove(): Promise<void>;
};

export const root = join(import.meta.dirname, '..', '..', '..');

export async function makeLocalPlace(): Promise<Place> {
  const directory = mkdtempSync(join(tmpdir(), 'edgewise-stage-'));
  const state = join(directory, '.edgewise');
  const portBase = await freePortBase();
  const stages: Stage[] = [];
  const where = ['--state', state, '--port-base', String(portBase), ...engineFlags];
  let denialsExpected = false;
  const add = (script: string, flags: readonly string[]): Stage => {
    const stage = startStage(script, [...where, ...flags]);
    stages.push(stage);
    return stage;
  };
  const denials = (): string[] => linesOf(join(state, 'iam.log'));
  return {
    directory,
    state,
    portBase,
    where,
    start: (...flags) => add('scripts/start.mjs', flags),
    cloud: async (...flags) => {
      const stage = add('scripts/cloud.mjs', flags);
      await ready(stage, 'Local cloud ready');
      return stage;
    },
    run: (out) => add('local/main.ts', ['--app', out, '--stack', 'Edgewise']),
    endpoints: () => readEndpoints(join(state, 'endpoints.json')),
    processes: () => processesOf(directory).map(({ line }) => line),
    pids: () => processesOf(directory),
    denials,
    expectDenials: () => {
      denialsExpected = true;
    },
    remove: async () => {
      for (const stage of stages) stage.process.kill('SIGTERM');
      const late = delay(20_000, undefined, { ref: false });
      await Promise.race([Promise.all(stages.map((stage) => stage.ended)), late]);
      for (const { pid } of processesOf(directory)) killHard(pid);
      const denied = denialsExpected ? [] : denials();
      await until('its directory is gone', () => removed(directory));
      if (denied.length > 0) {
        throw new Error(
          `The policies of the template refused:\n${[...new Set(denied)].join('\n')}`,
        );
      }
    },
  };
}

/** Whole lines: what is being written is none yet. */
function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

export function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** A process that was just killed may still be writing. */
export function removed(directory: string): boolean {
  try {
    rmSync(directory, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

function startStage(script: string, args: readonly string[]): Stage {
  const child = spawn(process.execPath, [join(root, script), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return follow(child);
}

/** What a process prints, and when it is over. */
export function follow(child: ChildProcess): Stage {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part) => {
      text += String(part);
    });
  }
  return {
    process: child,
    text: () => text,
    ended: new Promise((resolve) => child.on('close', (code) => resolve(code))),
  };
}

/** Waits until a process has printed this; fails with what it printed when it ends before. */
export async function ready(stage: Stage, words: string): Promise<void> {
  await until(words, () => {
    if (stage.text().includes(words)) return true;
    const { exitCode, signalCode } = stage.process;
    if (exitCode !== null || signalCode !== null) throw new Error(stage.text());
    return false;
  });
}

/** Waits for something to become true; what it was is said when it does not. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  timeoutMs = 60_000,
): Promise<NonNullable<T>> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > endMs) throw new Error(`After ${timeoutMs} ms still not: ${what}`);
    await delay(50);
  }
}

export async function askApi<T>(place: Place, path: string, init: RequestInit = {}): Promise<T> {
  const { api, token } = place.endpoints()!;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${api}${path}`, { ...init, headers });
  return (await response.json()) as T;
}

export function processesOf(word: string): { pid: number; line: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const line = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return line.includes(word) ? [{ pid: Number(name), line }] : [];
      } catch {
        return [];
      }
    });
}

const portsNeeded = 10;
const triesMax = 50;
/**
 * Below the ports that outgoing connections take: one of those could come between the look and the
 * start.
 */
const basesFrom = 20_000;
const basesCount = 1_200;

/** A base whose next ports are free too. */
async function freePortBase(): Promise<number> {
  for (let i = 0; i < triesMax; i++) {
    const base = basesFrom + Math.floor(Math.random() * basesCount) * portsNeeded;
    const ports = Array.from({ length: portsNeeded }, (_, offset) => base + offset);
    if ((await Promise.all(ports.map(isFree))).every((free) => free)) return base;
  }
  throw new Error('No free ports were found.');
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
