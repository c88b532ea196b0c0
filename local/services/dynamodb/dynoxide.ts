/**
 * Where the native database binary is, and how it is started. It needs neither Java nor a network.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseStartMsMax } from '../../limits.ts';
import type { EngineAddress } from './engine-address.ts';
import type { DatabaseProgram } from './program.ts';

export function dynoxideProgram(
  dataDir: string | null,
  { host, port }: EngineAddress,
): DatabaseProgram | undefined {
  const binary = dynoxideBinary();
  if (binary === undefined) return undefined;
  const args = ['--host', host, '--port', String(port)];
  if (dataDir === null) return { command: binary, args };
  const file = join(dataDir, 'dynoxide.db');
  return {
    ready: () => indexStreamRecords(file),
    command: binary,
    args: [...args, '--db-path', file],
  };
}

/**
 * The engine looks for the newest number of a stream before every write and keeps no index for it:
 * without this one each write would read all records that were ever written, and the local cloud
 * would become slower with each of them.
 */
function indexStreamRecords(file: string): void {
  const database = new DatabaseSync(file, { timeout: databaseStartMsMax });
  try {
    database.exec(
      'CREATE INDEX IF NOT EXISTS stream_records_by_number ' +
        'ON _stream_records (table_name, CAST(sequence_number AS INTEGER))',
    );
  } finally {
    database.close();
  }
}

export function dynoxideBinary(): string | undefined {
  const require = createRequire(import.meta.url);
  try {
    const name = `@dynoxide/${process.platform}-${process.arch}`;
    const path = join(dirname(require.resolve(`${name}/package.json`)), 'dynoxide');
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
