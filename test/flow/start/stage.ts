import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Endpoints, readEndpoints } from '../../../cli/local/endpoints-file.ts';

/**
 * `npm start` as a user has it, in a directory and on ports of its own. Whatever is left of it when
 * a test ends is killed by the name of that directory, which every process of it carries.
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
  start(...flags: string[]): Stage;
  endpoints(): Endpoints | null;
  /** Processes that work on this state, by their command lines. */
  processes(): string[];
  remove(): Promise<void>;
};

const root = join(import.meta.dirname, '..', '..', '..');

export async function makePlace(): Promise<Place> {
  const directory = mkdtempSync(join(tmpdir(), 'edgewise-stage-'));
  const state = join(directory, '.edgewise');
  const portBase = await freePortBase();
  const stages: Stage[] = [];
  return {
    directory,
    state,
    portBase,
    start: (...flags) => {
      const stage = startStage(['--state', state, '--port-base', String(portBase), ...flags]);
      stages.push(stage);
      return stage;
    },
    endpoints: () => readEndpoints(join(state, 'endpoints.json')),
    processes: () => processesOf(directory).map(({ line }) => line),
    remove: async () => {
      for (const stage of stages) stage.process.kill('SIGTERM');
      const late = delay(20_000, undefined, { ref: false });
      await Promise.race([Promise.all(stages.map((stage) => stage.ended)), late]);
      for (const { pid } of processesOf(directory)) process.kill(pid, 'SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function startStage(args: readonly string[]): Stage {
  const child = spawn(process.execPath, [join(root, 'scripts', 'start.mjs'), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      text += String(part);
    });
  }
  return {
    process: child,
    text: () => text,
    ended: new Promise((resolve) => child.on('close', (code) => resolve(code))),
  };
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

function processesOf(word: string): { pid: number; line: string }[] {
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

const portsNeeded = 6;
const triesMax = 50;

/** A base whose next ports are free too. */
async function freePortBase(): Promise<number> {
  for (let i = 0; i < triesMax; i++) {
    const base = 20_000 + Math.floor(Math.random() * 300) * 100;
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
