import { lstatSync, rmdirSync } from 'node:fs';
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunCommand } from '../host/command.ts';
import type { Log } from '../host/log-lines.ts';
import { removalsAtOnce } from '../limits.ts';

/**
 * Removes whole trees, behind whatever else is done. What belongs to the user of chunks is removed
 * by a program that runs as that user: chunks of it may still live, and could put a link in the
 * place of a directory while a more powerful agent walks through it.
 *
 * What cannot be removed is logged once and left for the next start.
 */
export type TreeRemover = {
  remove(path: string): void;
  /** Resolves when all that was asked for so far is over. */
  settled(): Promise<void>;
};

export type RemoverDeps = {
  /** Runs a program as the user of chunks; `null` when chunks are run as the agent's own user. */
  readonly asChunkUser: { readonly uid: number; readonly run: RunCommand } | null;
  /** Runs a program among the users of rootless containers; `null` where there are none. */
  readonly amongContainerUsers: RunCommand | null;
  readonly log: Log;
};

export function makeTreeRemover(deps: RemoverDeps): TreeRemover {
  const waiting: string[] = [];
  const lanes = new Set<Promise<void>>();
  let isLogged = false;

  const removeOne = async (path: string): Promise<void> => {
    try {
      await removeTree(path, deps);
    } catch (error) {
      if (!isLogged)
        deps.log(`A directory of a chunk stays: ${(error as Error).message}`, 'warning');
      isLogged = true;
    }
  };

  const work = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      await removeOne(path);
    }
  };

  return {
    remove(path) {
      waiting.push(path);
      if (lanes.size >= removalsAtOnce) return;
      const lane = work().finally(() => lanes.delete(lane));
      lanes.add(lane);
    },
    async settled() {
      while (lanes.size > 0) await Promise.all(lanes);
    },
  };
}

async function removeTree(path: string, deps: RemoverDeps): Promise<void> {
  const owner = ownerOf(path);
  if (owner === null) return;
  if (deps.asChunkUser?.uid === owner) {
    // It may empty its directory; the one above belongs to the agent.
    await deps.asChunkUser.run(['sh', '-c', 'chmod -R u+rwx "$0"; rm -rf "$0"', path]);
    if (ownerOf(path) !== null) rmdirSync(path);
    return;
  }
  const options = { recursive: true, force: true, maxRetries: 3 } as const;
  try {
    await rm(path, options);
  } catch {
    await deps.amongContainerUsers?.(['rm', '-rf', '--', path]);
    await openUp(path);
    await rm(path, options);
  }
}

function ownerOf(path: string): number | null {
  return lstatSync(path, { throwIfNoEntry: false })?.uid ?? null;
}

/** A chunk may have closed its directories, also to who owns them. */
async function openUp(path: string): Promise<void> {
  const stat = await lstat(path).catch(() => null);
  if (stat === null || !stat.isDirectory()) return;
  await chmod(path, 0o700).catch(() => {});
  for (const name of await readdir(path).catch(() => [])) await openUp(join(path, name));
}
