import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { trialMsMax } from '../limits.ts';
import { UpdateError } from './fetch-release.ts';

/** Beside the program, so that a rename is all that happens to its name. */
export const newOf = (path: string): string => `${path}.new`;
const previousOf = (path: string): string => `${path}.previous`;

/** It starts here and says which it is: that of another machine, or a broken one, does not. */
export async function tryProgram(path: string, version: string): Promise<void> {
  const words = { timeout: trialMsMax, killSignal: 'SIGKILL', env: {} } as const;
  let said: string;
  try {
    said = (await promisify(execFile)(path, ['--version'], words)).stdout.trim();
  } catch (error) {
    const { code, killed } = error as { code?: unknown; killed?: boolean };
    const why = killed === true ? 'it does not answer' : `it ends with ${String(code)}`;
    throw new UpdateError(`The new program does not run here: ${why}.`);
  }
  if (said.split(' ').at(-1) === version) return;
  throw new UpdateError(`The new program says that it is "${said}" and not ${version}.`);
}

/**
 * At every moment the name is one of the two, whole; the one before stays beside it. Whoever could
 * start that can start the new one: agents run as another user than the one who updates them.
 */
export function replaceProgram(path: string): void {
  const { mode, uid, gid } = statSync(path);
  chownSync(newOf(path), uid, gid);
  chmodSync(newOf(path), mode & 0o7777);
  const previous = previousOf(path);
  rmSync(previous, { force: true });
  linkSync(path, previous);
  renameSync(newOf(path), path);
  syncDirectory(path);
}

/** The one before takes the name again, and there is none before it. */
export function restoreProgram(path: string): void {
  try {
    renameSync(previousOf(path), path);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error;
    throw new UpdateError('There is no program before this one.');
  }
  syncDirectory(path);
}

function syncDirectory(path: string): void {
  const directory = openSync(dirname(path), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
