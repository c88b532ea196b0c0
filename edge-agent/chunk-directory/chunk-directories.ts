import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../disk/data-directory.ts';
import {
  type ChunkName,
  type ChunkOrder,
  inputName,
  keyOf,
  outputName,
} from '../executors/executor.ts';
import { directorySuffixBytes } from '../limits.ts';
import { formatDirectoryName, parseDirectoryName } from './directory-name.ts';
import { makeEmptyRemover } from './empty-remover.ts';
import type { KeptDirectories } from './kept-directories.ts';
import { readProgressFile } from './progress-file.ts';
import type { TreeRemover } from './tree-remover.ts';

/**
 * A fresh directory for every attempt of a chunk: made → used → (kept for a look, or removed) once
 * the end of the attempt is in the journal. What a killed agent left is removed at the next start,
 * except of chunks that still run.
 *
 * Directories are below one that nobody may list, under names that nobody can guess, each for the
 * user that the chunk runs as and for no other. A disk that takes none is an outcome, and no end of
 * a chunk.
 */
export type ChunkDirectories = {
  /** All of them are in it. */
  readonly root: string;
  /** Of the chunk of this order; `null` when the disk takes none. */
  make(order: ChunkOrder, reader: DirectoryReader): string | null;
  /** For what a chunk left that ran elsewhere: without its inputs, and never kept for a look. */
  makeEmpty(name: ChunkName, reader: DirectoryReader): string | null;
  /** The disk took a directory, and not what has to be in it. */
  refuse(error: unknown): void;
  /** What the chunk last wrote of how far it is; `null`: nothing. */
  progressOf(name: ChunkName): number | null;
  /** Where it is, as its chunk sees it, unless that is in a container; `null`: there is none. */
  pathOf(name: ChunkName): string | null;
  /** Gives it up: the answer decides what becomes of it. `null` when there is none. */
  take(name: ChunkName): TakenDirectory | null;
  /** Removes what belongs to none of these. */
  sweep(survivors: readonly ChunkName[]): void;
  /** Resolves when what is to be removed is gone. */
  settled(): Promise<void>;
};

/**
 * `chunk`: a process on this host, as the user of chunks. `container`: whatever user its image
 * names, so the directory is open to all, inside one that only the agent may enter.
 */
export type DirectoryReader = 'chunk' | 'container';

export type TakenDirectory = {
  readonly path: string;
  /** `isFailed`: the job may want a failed attempt's kept. */
  release(isFailed: boolean): void;
};

export type DirectoryOwner = { readonly uid: number; readonly gid: number };

/** Of a container's, what is mounted in it. */
export const mountName = 'mount';

/** Puts into it what has to be there; false when it cannot be had now. */
type Fill = (path: string) => boolean;

type Held = { readonly name: string; readonly isKept: boolean };

export function openChunkDirectories(deps: {
  readonly root: string;
  /** Who chunks run as, when that is not the agent's own user. */
  readonly owner: DirectoryOwner | null;
  readonly remover: TreeRemover;
  readonly kept: KeptDirectories;
  /** Puts what its job needs into a directory; false when that has to be fetched again. */
  readonly fill: (order: ChunkOrder, path: string, reader: DirectoryReader) => boolean;
  /** Hears what the disk says when it takes no directory. */
  readonly refused: (error: unknown) => void;
}): ChunkDirectories {
  const { root, owner, remover, kept } = deps;
  const held = new Map<string, Held>();
  const empties = makeEmptyRemover(remover);
  makeDirectory(root);
  // Who runs a chunk has to pass through, and shall not see the names of the others'.
  chmodSync(root, owner === null ? 0o700 : 0o711);

  const makeFor = (
    chunk: ChunkName,
    isKept: boolean,
    reader: DirectoryReader,
    fill: Fill,
  ): string | null => {
    const random = randomBytes(directorySuffixBytes).toString('hex');
    const name = formatDirectoryName(chunk, { isKept, random });
    try {
      const path = makeIn(join(root, name), reader, owner, fill);
      if (path === null) remover.remove(join(root, name));
      else held.set(keyOf(chunk), { name, isKept });
      return path;
    } catch (error) {
      remover.remove(join(root, name));
      deps.refused(error);
      return null;
    }
  };

  return {
    root,
    make(order, reader) {
      const isKept = order.spec.keepDirectory === 'failed';
      return makeFor(order, isKept, reader, (own) => deps.fill(order, own, reader));
    },
    makeEmpty: (name, reader) => makeFor(name, false, reader, () => true),
    refuse: deps.refused,
    progressOf(chunk) {
      const found = held.size === 0 ? undefined : held.get(keyOf(chunk));
      if (found === undefined) return null;
      const path = join(root, found.name);
      return readProgressFile(path) ?? readProgressFile(join(path, mountName));
    },
    pathOf(chunk) {
      const found = held.get(keyOf(chunk));
      return found === undefined ? null : join(root, found.name);
    },
    take(chunk) {
      if (held.size === 0) return null;
      const key = keyOf(chunk);
      const found = held.get(key);
      if (found === undefined) return null;
      held.delete(key);
      const path = join(root, found.name);
      return {
        path,
        release(isFailed) {
          if (isFailed && found.isKept) kept.keep(path);
          else empties.remove(path);
        },
      };
    },
    sweep(survivors) {
      const wanted = new Set(survivors.map(keyOf));
      for (const name of readdirSync(root)) {
        const parsed = parseDirectoryName(name);
        if (parsed !== null && wanted.has(keyOf(parsed))) {
          held.set(keyOf(parsed), { name, isKept: parsed.isKept });
        } else {
          remover.remove(join(root, name));
        }
      }
    },
    async settled() {
      await empties.settled();
      await remover.settled();
    },
  };
}

/** Answers where its chunk begins in it; `null`: what has to be there is not to be had. */
function makeIn(
  path: string,
  reader: DirectoryReader,
  owner: DirectoryOwner | null,
  fill: Fill,
): string | null {
  mkdirSync(path, { mode: 0o700 });
  const own = reader === 'chunk' ? path : join(path, mountName);
  if (own !== path) mkdirSync(own);
  for (const part of [inputName, outputName]) mkdirSync(join(own, part), { mode: 0o700 });
  if (!fill(own)) return null;
  for (const each of [join(own, inputName), join(own, outputName), own]) {
    // In this order: who owns a directory may change what is in it.
    if (reader === 'container') chmodSync(each, 0o777);
    else if (owner !== null) chownSync(each, owner.uid, owner.gid);
  }
  return own;
}
