/**
 * Where the native database binary is, and how it is started. It needs neither Java nor a network.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { DatabaseProgram } from './engine.ts';

export function dynoxideProgram(dataDir: string, port: number): DatabaseProgram | undefined {
  const binary = binaryPath();
  if (binary === undefined) return undefined;
  return {
    command: binary,
    args: [
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--db-path',
      join(dataDir, 'dynoxide.db'),
    ],
  };
}

function binaryPath(): string | undefined {
  const require = createRequire(import.meta.url);
  try {
    const name = `@dynoxide/${process.platform}-${process.arch}`;
    const path = join(dirname(require.resolve(`${name}/package.json`)), 'dynoxide');
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
