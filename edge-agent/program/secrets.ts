import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { tokenFileBytesMax } from '../limits.ts';

/**
 * Secrets on their way in. A token comes from a file, from standard input or from the environment;
 * on the command line it is taken as well, where every user of the host can read it meanwhile.
 *
 * Once it is known it is overwritten where the kernel shows it to others, in `/proc`: chunks may
 * run as the agent's own user, and must find nothing there.
 */

/** `-` is standard input. `null` for no such file: a token is for the first start only. */
export function readTokenFile(path: string): string | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path === '-' ? 0 : path);
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw error;
  }
  const text = bytes.toString('utf8').trim();
  if (bytes.length > tokenFileBytesMax || /\s/.test(text)) {
    throw new Error(`${path} holds more than a token`);
  }
  return text === '' ? null : text;
}

/**
 * Overwrites these values among the words and variables that this process was started with, and
 * drops the variables. `false` when some can still be read.
 */
export function hideSecrets(secrets: readonly string[], self = '/proc/self'): boolean {
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && secrets.includes(value)) delete process.env[name];
  }
  const files = ['cmdline', 'environ'] as const;
  const shows = (file: string): boolean =>
    findSecrets(readShown(`${self}/${file}`), secrets).length > 0;
  if (!files.some(shows)) return true;
  try {
    overwrite(secrets, self);
  } catch {
    // Not on this kernel; it is looked at once more.
  }
  return !files.some(shows);
}

type Place = { readonly at: number; readonly length: number };

/** Whole values only: a short one may be a part of something else. */
function findSecrets(shown: Buffer, secrets: readonly string[]): Place[] {
  const found: Place[] = [];
  for (let start = 0; start < shown.length; ) {
    const end = shown.indexOf(0, start);
    const stop = end < 0 ? shown.length : end;
    const word = shown.toString('utf8', start, stop);
    const value = secrets.find((secret) => word === secret || word.endsWith(`=${secret}`));
    if (value !== undefined) {
      const length = Buffer.byteLength(value);
      found.push({ at: stop - length, length });
    }
    start = stop + 1;
  }
  return found;
}

/** The kernel shows the very memory in which it put them, and a process may write to its own. */
function overwrite(secrets: readonly string[], self: string): void {
  const stat = readFileSync(`${self}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [wordsFrom, wordsTo, variablesFrom, variablesTo] = fields.slice(45, 49).map(Number);
  const memory = openSync(`${self}/mem`, 'r+');
  try {
    for (const [from, to] of [
      [wordsFrom, wordsTo],
      [variablesFrom, variablesTo],
    ] as const) {
      const shown = Buffer.alloc(to! - from!);
      readSync(memory, shown, 0, shown.length, from!);
      for (const { at, length } of findSecrets(shown, secrets)) {
        writeSync(memory, Buffer.alloc(length, 'x'), 0, length, from! + at);
      }
    }
  } finally {
    closeSync(memory);
  }
}

function readShown(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}
