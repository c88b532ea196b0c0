import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parentDirectoriesMax } from '../limits.ts';

/** What a local cloud says of itself once it is ready, in `.edgewise/endpoints.json`. */
export type Endpoints = {
  readonly path: string;
  readonly api: string;
  readonly token: string | null;
  readonly pid: number | null;
};

export function readEndpoints(path: string): Endpoints | null {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    if (typeof value.api !== 'string') return null;
    return {
      path,
      api: value.api,
      token: typeof value.token === 'string' ? value.token : null,
      pid: typeof value.pid === 'number' ? value.pid : null,
    };
  } catch {
    return null;
  }
}

/**
 * The local cloud whose state is in `state`, when that is said, or else that of this directory or
 * of the nearest one above it.
 */
export function findEndpoints(directory: string, state: string | undefined): Endpoints | null {
  if (state) return readEndpoints(join(resolve(directory, state), 'endpoints.json'));
  let at = directory;
  for (let level = 0; level < parentDirectoriesMax; level++) {
    const found = readEndpoints(join(at, '.edgewise', 'endpoints.json'));
    if (found !== null) return found;
    if (dirname(at) === at) return null;
    at = dirname(at);
  }
  return null;
}
