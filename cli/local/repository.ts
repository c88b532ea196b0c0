import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';

/** The local cloud runs from the repository; a client that was copied elsewhere has none. */
export function repositoryFile(path: string): string {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  if (existsSync(file)) return file;
  throw new Failure(
    exitCode.failure,
    'This client stands alone, and the local cloud runs from the repository.',
    'Run "npm run cloud" in a clone of it, then give --api URL here.',
  );
}
