/**
 * Where things are in this repository, for the scripts that must run before anything is installed.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The Node that runs TypeScript as it is; the host's own may be older. */
export const node = join(root, 'node_modules', '.bin', 'node');

/**
 * An environment in which `node` is that one, for tools that start it by name.
 *
 * @param {NodeJS.ProcessEnv} extra
 */
export function toolEnvironment(extra = {}) {
  const path = `${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}`;
  return { ...process.env, PATH: path, ...extra };
}

/**
 * Ends the program with one sentence: what went wrong is the user's business, where in our code is
 * not.
 */
export class Stop extends Error {}

/** @param {unknown} error */
export function endWith(error) {
  const sentence =
    error instanceof Stop ? error.message : `A defect of this script: ${messageOf(error)}`;
  console.error(sentence);
  if (!(error instanceof Stop) && process.env.EDGEWISE_DEBUG) console.error(error);
  process.exitCode = 1;
}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** The code of a failed call of the system, as `ENOENT`. @param {unknown} error */
export function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
