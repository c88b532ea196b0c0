import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/**
 * The client as a user runs it: the program in `bin/`, in a directory, with an environment that
 * knows of no API.
 */
export type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

export type Client = {
  readonly process: ChildProcess;
  /** What it said so far, both streams. */
  text(): string;
  readonly ended: Promise<Ended>;
};

const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'edgewise.mjs');

export function startClient(
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Client {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (part) => {
    out += String(part);
  });
  child.stderr.on('data', (part) => {
    err += String(part);
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => resolve({ code, out, err }));
  });
  return { process: child, text: () => `${out}${err}`, ended };
}

export function runClient(directory: string, ...args: string[]): Promise<Ended> {
  return startClient(directory, args).ended;
}
