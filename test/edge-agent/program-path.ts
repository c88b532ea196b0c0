import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../../edge-agent/host/host-inspection.ts';

/**
 * A search path on which nothing is but these programs of the host, and what the test puts beside
 * them: whatever else is installed here, it cannot be found.
 */
export function makeProgramPath(directory: string, programs: readonly string[]): string {
  mkdirSync(directory, { recursive: true });
  for (const program of programs) {
    const file = findProgram(program, process.env.PATH ?? '');
    if (file === null) throw new Error(`${program} is not on this host`);
    symlinkSync(file, join(directory, program));
  }
  return directory;
}
