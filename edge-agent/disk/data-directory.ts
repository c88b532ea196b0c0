import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecord } from '../../core/protocol/json.ts';
import { isAlive, startTicksOf } from '../host/process-table.ts';
import { wholeDirectoryName } from '../launcher/launcher-protocol.ts';
import { lockTriesMax } from '../limits.ts';
import { syncDirectory } from './file-system.ts';

/**
 * Everything an agent keeps, in one directory that only its user may read:
 *
 *     lock            who uses it
 *     journal.log     results, work, notes
 *     edges/<edge>/   identity.json, key.pem, parameters/ of chunks that it has
 *     specs/          job specs by hash
 *     outputs/        kept outputs that wait for the uplink
 *     printed/        outputs of running chunks that are kept whole
 *     cluster/        scripts and outputs of chunks that a cluster runs
 *     chunks/         a directory for every attempt of a chunk
 *     kept/           those of failed attempts, for a look
 *     cache/          files that jobs need, by what is in them
 *     launcher.sock   where the process that starts chunks listens
 *
 * The four before the socket are elsewhere when another place is given for them. Two agents on one
 * directory would run everything twice, so the second is refused.
 */
export type DataDirectory = {
  readonly path: string;
  readonly journal: string;
  readonly specs: string;
  readonly outputs: string;
  readonly printed: string;
  /** Scripts and outputs of chunks that a cluster runs; its nodes have to see it. */
  readonly cluster: string;
  readonly chunks: string;
  readonly kept: string;
  /** Beside the directories of chunks, which link to what is in it. */
  readonly cache: string;
  /** What holds the last four. */
  readonly shared: string;
  edge(name: string): string;
  release(): void;
};

export class DirectoryInUse extends Error {}

export function openDataDirectory(path: string, work: string | null = null): DataDirectory {
  const specs = join(path, 'specs');
  const outputs = join(path, 'outputs');
  const printed = join(path, wholeDirectoryName);
  const shared = work ?? path;
  const edges = join(path, 'edges');
  const [cluster, chunks, kept, cache] = [
    join(shared, 'cluster'),
    join(shared, 'chunks'),
    join(shared, 'kept'),
    join(shared, 'cache'),
  ];
  for (const directory of [path, specs, outputs, printed, edges, cluster, chunks, kept, cache]) {
    makeDirectory(directory);
  }
  // Whoever made them before: identities are nobody else's to read.
  for (const directory of [specs, outputs, printed, edges]) chmodSync(directory, 0o700);
  const releases = [path, ...(shared === path ? [] : [shared])].map((one) =>
    takeLock(join(one, 'lock'), one),
  );
  return {
    path,
    journal: join(path, 'journal.log'),
    specs,
    outputs,
    printed,
    shared,
    cluster,
    chunks,
    kept,
    cache,
    edge: (name) => join(edges, name),
    release() {
      for (const release of releases) release();
    },
  };
}

/**
 * One directory at a time: asked for a whole path, Node calls a read-only disk a missing file, and
 * tries for ever where the kernel takes no directories.
 */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

function takeLock(file: string, path: string): () => void {
  const mine = JSON.stringify({ pid: process.pid, startTicks: startTicksOf(process.pid) });
  for (let tries = 0; tries < lockTriesMax; tries++) {
    try {
      const fd = openSync(file, 'wx', 0o600);
      writeSync(fd, mine);
      closeSync(fd);
      return () => removeQuietly(file);
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error;
    }
    const holder = readLock(file);
    if (holder !== null && isAlive(holder.pid, holder.startTicks)) {
      throw new DirectoryInUse(
        `Another agent (process ${holder.pid}) uses ${path}. Stop it, or choose another --data.`,
      );
    }
    // Renaming is atomic: of two agents that find the same stale lock, one moves it away.
    const stale = `${file}.stale-${process.pid}-${tries}`;
    try {
      renameSync(file, stale);
    } catch {
      continue;
    }
    removeQuietly(stale);
  }
  throw new DirectoryInUse(`Cannot lock ${path}: another agent is starting there. Try again.`);
}

function readLock(file: string): { pid: number; startTicks: string | null } | null {
  const value = readJson(file);
  if (!isRecord(value) || typeof value.pid !== 'number') return null;
  return {
    pid: value.pid,
    startTicks: typeof value.startTicks === 'string' ? value.startTicks : null,
  };
}

/** The document in a file, or `null` when there is none that can be read. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** Whole or not at all, also over a power loss. */
export function writeDurably(file: string, content: string | Uint8Array, mode = 0o600): void {
  const fresh = `${file}.new`;
  const fd = openSync(fresh, 'w', mode);
  try {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    let written = 0;
    while (written < bytes.length) written += writeSync(fd, bytes, written);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(fresh, file);
  syncDirectory(dirname(file));
}

export function removeQuietly(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Gone already, which is what was wanted.
  }
}
