import { rmdir, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { inputName, outputName } from '../executors/executor.ts';
import { removalsAtOnce, removalsWaitingMax } from '../limits.ts';
import type { TreeRemover } from './tree-remover.ts';

/**
 * Removes directories of chunks beside the agent's own work. Most chunks leave nothing in theirs:
 * then this costs no process. Whatever a chunk has put in the place of a directory, removing one
 * never follows a link.
 *
 * So many may wait; beyond that a directory is removed at once, and everybody waits for the disk.
 */
export type EmptyRemover = {
  remove(path: string): void;
  /** Resolves when all were removed, or handed on because something is in them. */
  settled(): Promise<void>;
};

/** Only a test lets fewer wait. */
export function makeEmptyRemover(
  remover: Pick<TreeRemover, 'remove'>,
  waitingMax = removalsWaitingMax,
): EmptyRemover {
  const waiting: string[] = [];
  let atWork = 0;
  let idle: (() => void)[] = [];

  const next = (): void => {
    const path = waiting.shift();
    if (path === undefined) {
      atWork -= 1;
      if (atWork > 0) return;
      for (const tell of idle) tell();
      idle = [];
      return;
    }
    removeParts(partsOf(path), (isGone) => {
      if (!isGone) remover.remove(path);
      next();
    });
  };

  return {
    remove(path) {
      if (waiting.length >= waitingMax) {
        if (!removeNow(path)) remover.remove(path);
        return;
      }
      waiting.push(path);
      if (atWork >= removalsAtOnce) return;
      atWork += 1;
      next();
    },
    settled() {
      if (atWork === 0) return Promise.resolve();
      return new Promise((resolve) => idle.push(resolve));
    },
  };
}

/** Inside out. */
const partsOf = (path: string): string[] => [join(path, inputName), join(path, outputName), path];

function removeParts([part, ...rest]: readonly string[], done: (isGone: boolean) => void): void {
  rmdir(part ?? '', (error) => {
    if (error !== null || rest.length === 0) done(error === null);
    else removeParts(rest, done);
  });
}

function removeNow(path: string): boolean {
  try {
    for (const part of partsOf(path)) rmdirSync(part);
    return true;
  } catch {
    return false;
  }
}
