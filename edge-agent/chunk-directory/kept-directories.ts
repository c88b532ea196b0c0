import { lstatSync, readdirSync, renameSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeDirectory } from '../disk/data-directory.ts';
import { keptDirectoriesMax, keptDirectoryBytesMax, keptDirectoryEntriesMax } from '../limits.ts';
import type { TreeRemover } from './tree-remover.ts';

/**
 * Directories of failed attempts, for somebody to look at: the last few, as long as they are small
 * together. Older ones make room for newer.
 */
export type KeptDirectories = { keep(path: string): void };

export function openKeptDirectories(deps: {
  readonly root: string;
  readonly remover: TreeRemover;
  readonly log: (line: string) => void;
}): KeptDirectories {
  const { root, remover, log } = deps;
  makeDirectory(root);
  let pruning: Promise<void> = Promise.resolve();
  // They grow younger while they are emptied, and would be taken for the last.
  let leaving: ReadonlySet<string> = new Set();
  // Several may come within one tick of the file system's clock, which is milliseconds long.
  const turns = new Map<string, number>();
  let turn = 0;

  const prune = async (): Promise<void> => {
    const listed = newestFirst(root, turns);
    const going = new Set(listed.filter((path) => leaving.has(path)));
    leaving = going;
    const staying = listed.filter((path) => !going.has(path));
    let bytes = 0;
    for (const [index, path] of staying.entries()) {
      if (index < keptDirectoriesMax) bytes += await bytesOf(path, keptDirectoryBytesMax);
      if (index < keptDirectoriesMax && bytes <= keptDirectoryBytesMax) continue;
      going.add(path);
      turns.delete(path);
      remover.remove(path);
    }
  };

  return {
    keep(path) {
      const place = join(root, basename(path));
      try {
        renameSync(path, place);
        turns.set(place, ++turn);
        log(`Kept the directory of a failed chunk: ${place}`);
      } catch {
        remover.remove(path);
        return;
      }
      pruning = pruning.then(prune).catch(() => {});
    },
  };
}

/** What came since this program started, by its turns; before it, what was there, by its times. */
function newestFirst(root: string, turns: ReadonlyMap<string, number>): string[] {
  const dated: { path: string; turn: number; atMs: number }[] = [];
  for (const name of readdirSync(root)) {
    const path = join(root, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    // Renaming is the last that happens to it.
    if (stat === undefined) continue;
    dated.push({ path, turn: turns.get(path) ?? 0, atMs: stat.ctimeMs });
  }
  return dated.sort((a, b) => b.turn - a.turn || b.atMs - a.atMs).map(({ path }) => path);
}

/** What a tree takes on the disk; one of very many files counts as more than there is room for. */
async function bytesOf(root: string, bytesMax: number): Promise<number> {
  let bytes = 0;
  let entries = 0;
  const open = [root];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const stat = await lstat(path).catch(() => null);
    if (stat === null) continue;
    bytes += stat.blocks * 512;
    entries += 1;
    if (bytes > bytesMax || entries > keptDirectoryEntriesMax) return bytesMax + 1;
    if (!stat.isDirectory()) continue;
    for (const name of await readdir(path).catch(() => [])) open.push(join(path, name));
  }
  return bytes;
}
