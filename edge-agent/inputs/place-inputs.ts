import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { DirectoryOwner } from '../chunk-directory/chunk-directories.ts';
import type { InputTree } from './input-tree.ts';

/**
 * Puts the inputs of a job into the directory of a chunk that has not begun: links to the one copy,
 * read only, or copies where the chunk may write or the file is a program. Paths were checked when
 * the job and its lists were read; nothing of the chunk is there yet that could lead elsewhere.
 */
export function placeInputs(
  tree: InputTree,
  directory: string,
  access: {
    readonly pathOf: (digest: string) => string;
    /** Who runs the chunk, when that is not the agent's own user. */
    readonly owner: DirectoryOwner | null;
    /** Whoever runs it: what it may change is open to all. */
    readonly isForAll: boolean;
  },
): void {
  const { pathOf, owner, isForAll } = access;
  const given = (path: string): void => {
    if (isForAll) chmodSync(path, 0o777);
    else if (owner !== null) chownSync(path, owner.uid, owner.gid);
  };
  const made = new Set<string>();
  const prepare = (path: string): string => {
    const target = join(directory, path);
    makeParents(dirname(path), directory, made, given);
    return target;
  };
  for (const { path, digest, isWritable, isExecutable } of tree.files) {
    const target = prepare(path);
    if (!isWritable && !isExecutable && linked(pathOf(digest), target)) continue;
    copyFileSync(pathOf(digest), target, constants.COPYFILE_FICLONE);
    chmodSync(target, modeOf(isWritable, isExecutable));
    if (isWritable) given(target);
  }
  for (const { path, link } of tree.links) symlinkSync(link, prepare(path));
}

function modeOf(isWritable: boolean, isExecutable: boolean): number {
  if (isWritable) return isExecutable ? 0o755 : 0o644;
  return isExecutable ? 0o555 : 0o444;
}

/** False where the directories of chunks lie on another file system, or one without links. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    if (['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP'].includes(code)) return false;
    throw error;
  }
}

function makeParents(
  path: string,
  root: string,
  made: Set<string>,
  given: (path: string) => void,
): void {
  if (path === '.' || made.has(path)) return;
  makeParents(dirname(path), root, made, given);
  made.add(path);
  const target = join(root, path);
  try {
    mkdirSync(target, { mode: 0o755 });
    given(target);
  } catch (error) {
    // The two directories of every chunk are there already.
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
  }
}
