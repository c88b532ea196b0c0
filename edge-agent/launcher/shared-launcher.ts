import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LauncherPlace, ToLauncher } from './launcher-protocol.ts';

/**
 * The one launcher of this process: whoever is connected to it asks it to serve the next data
 * directory as well, and only where nobody is, one is started.
 */
export type LauncherConnection = (message: ToLauncher) => void;

export type Asked = {
  /** Why nobody will come, or `null` while somebody may. */
  failure(): Error | null;
};

const connections = new Set<LauncherConnection>();
let starting: LaunchedProgram | null = null;

export function joinLauncher(connection: LauncherConnection): void {
  starting = null;
  connections.add(connection);
}

/** It is being shut down, or is gone. */
export function leaveLauncher(connection: LauncherConnection): void {
  connections.delete(connection);
}

/**
 * Sees to it that somebody listens at this place soon. `null`: somebody is just being started for
 * another place, so that it is worth asking again.
 */
export function askForLauncher(place: LauncherPlace): Asked | null {
  const [connection] = connections;
  if (connection !== undefined) {
    connection({ k: 'serve', ...place });
    return { failure: () => (connections.has(connection) ? null : new Error('it is gone')) };
  }
  if (starting !== null && starting.failure() === null) return null;
  starting = startProgram(place);
  return starting;
}

type LaunchedProgram = Asked;

/** The better one first; the next one where that cannot be. */
function startProgram(place: LauncherPlace): LaunchedProgram {
  const programs = programsOf(place);
  let failure: Error | null = null;
  const startNext = (): void => {
    const [file, ...args] = programs.shift() ?? [];
    if (file === undefined) return;
    const env = { ...baseEnvironment(), BUN_TMPDIR: workshopOf(place) };
    const options = { detached: true, stdio: 'ignore', env } as const;
    const child: ChildProcess = spawn(file, args, options);
    const failed = (error: Error): void => {
      if (programs.length === 0) failure = error;
      else startNext();
    };
    child.once('error', failed);
    child.once('exit', (code) => {
      // What it started goes on without it.
      if (code !== 0) failed(new Error(`the launcher ended with code ${code}`));
    });
    child.unref();
  };
  startNext();
  return { failure: () => failure };
}

/**
 * From source the launcher is a program of its own, under the runtime that can compile it where
 * that is installed; a single binary starts itself again.
 */
function programsOf({ socketPath, directory }: LauncherPlace): string[][] {
  const plain = sourceOf(new URL('./launcher-main.ts', import.meta.url));
  const better = sourceOf(new URL('./native-main.ts', import.meta.url));
  if (plain !== null && better !== null) {
    const runtime = nativeRuntime();
    const native = [runtime ?? '', '--no-env-file', better];
    const bare = [process.execPath, '--no-warnings', plain];
    const programs = runtime === null ? [bare] : [native, bare];
    return programs.map((words) => [...words, socketPath, directory]);
  }
  const isInsideCli = process.argv[2] === 'agent' || process.argv[2] === 'fleet';
  const isBinary = process.argv[1] === undefined || process.argv[1].includes('$bunfs');
  const itself = isBinary ? [process.execPath] : [process.execPath, process.argv[1]!];
  return [[...itself, ...(isInsideCli ? ['agent'] : []), 'launcher', socketPath, directory]];
}

/** `null` inside a single binary, where no source is. */
function sourceOf(url: URL): string | null {
  if (url.protocol !== 'file:' || url.pathname.includes('$bunfs')) return null;
  const path = fileURLToPath(url);
  return existsSync(path) ? path : null;
}

/**
 * Where the launcher is compiled: the compiler lays out headers there, and elsewhere somebody could
 * have done so before.
 */
export function workshopOf({ directory }: LauncherPlace): string {
  return join(directory, 'launcher-build');
}

/** `EDGEWISE_LAUNCHER=plain` goes without it. */
function nativeRuntime(): string | null {
  if (process.platform !== 'linux' || process.env.EDGEWISE_LAUNCHER === 'plain') return null;
  try {
    const found = createRequire(import.meta.url).resolve('bun/package.json');
    const program = join(dirname(found), 'bin', 'bun.exe');
    return existsSync(program) ? program : null;
  } catch {
    return null;
  }
}

/**
 * What a launcher is given: enough to find programs, homes and the schedulers of this host, and no
 * credential of the agent.
 */
const inherited = new RegExp(
  '^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_.*|TZ|TMPDIR|LD_LIBRARY_PATH|XDG_RUNTIME_DIR|' +
    'SLURM_CONF|FLUX_URI|DOCKER_HOST|DOCKER_CONTEXT|CONTAINER_HOST)$',
);

export function baseEnvironment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [key, value] of Object.entries(process.env)) {
    if (value !== undefined && inherited.test(key)) env[key] = value;
  }
  return env;
}
