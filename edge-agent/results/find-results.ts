import { type Dirent, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathProblem, staysBelow } from '../../core/files/file-path.ts';
import { manifestEntriesMax } from '../../core/files/limits.ts';
import {
  isMatched,
  mayMatchBelow,
  parsePattern,
  type ResultPattern,
} from '../../core/files/result-pattern.ts';
import { outputName } from '../executors/executor.ts';
import { entriesSeenMax, shownLengthMax } from './limits.ts';
import { type OpenDirectory, withDirectory } from './open-beneath.ts';
import { ResultFault } from './result-fault.ts';

/**
 * Which files that a chunk left are its results, and under which names. What lies in the directory
 * of its outputs is known by its path there, unless another file has that name. Whatever the chunk
 * left, nothing outside of its directory is looked at; what is meant and cannot be sent is a fault
 * with a reason, and never left out in silence.
 */
export type FoundFile = {
  /** As the manifest has it. */
  readonly path: string;
  /** Where it lies, below the directory of the chunk. */
  readonly from: string;
};

export type Found = {
  readonly files: readonly FoundFile[];
  readonly links: readonly { readonly path: string; readonly link: string }[];
};

export function findResults(root: string, patterns: readonly string[]): Found {
  const parsed = patterns.map(parsePattern);
  const named = new Map<string, Entry>();
  const ofOutputs = new Map<string, Entry>();
  for (const entry of walk(root, parsed)) {
    const inside = belowOutputs(entry.from);
    const isMeant = (path: string): boolean => parsed.some((pattern) => isMatched(pattern, path));
    if (inside !== null && isMeant(inside)) ofOutputs.set(inside, entry);
    else if (isMeant(entry.from)) named.set(entry.from, entry);
    if (named.size + ofOutputs.size > manifestEntriesMax) {
      throw new ResultFault(`they are more than ${manifestEntriesMax} files`);
    }
  }
  for (const [path, entry] of ofOutputs) named.set(named.has(path) ? entry.from : path, entry);
  const files: FoundFile[] = [];
  const links: { path: string; link: string }[] = [];
  for (const [path, entry] of named) {
    checkPath(path);
    if (entry.kind === 'other') throw new ResultFault(`${shown(path)} is no file`);
    if (entry.kind === 'file') files.push({ path, from: entry.from });
    else links.push({ path, link: linkOf(entry, path) });
  }
  return { files, links };
}

/** Its path in the directory of outputs, or `null` when it lies elsewhere. */
function belowOutputs(path: string): string | null {
  return path.startsWith(`${outputName}/`) ? path.slice(outputName.length + 1) : null;
}

type Entry = {
  readonly from: string;
  readonly kind: 'file' | 'link' | 'other';
  readonly target: string;
};

function* walk(root: string, patterns: readonly ResultPattern[]): Generator<Entry> {
  const open: string[][] = [[]];
  let seen = 0;
  for (let parts = open.pop(); parts !== undefined; parts = open.pop()) {
    for (const { name, kind, target } of entriesOf(root, parts)) {
      seen += 1;
      if (seen > entriesSeenMax) {
        throw new ResultFault(`there are more than ${entriesSeenMax} files to look at`);
      }
      const below = [...parts, name];
      const from = below.join('/');
      if (kind !== 'directory') yield { from, kind, target };
      else if (isWorthALook(patterns, from)) {
        checkPath(from);
        open.push(below);
      }
    }
  }
}

function isWorthALook(patterns: readonly ResultPattern[], directory: string): boolean {
  if (directory === outputName) return true;
  const inside = belowOutputs(directory);
  return patterns.some(
    (pattern) =>
      mayMatchBelow(pattern, directory) || (inside !== null && mayMatchBelow(pattern, inside)),
  );
}

type Named = {
  readonly name: string;
  readonly kind: 'file' | 'link' | 'directory' | 'other';
  readonly target: string;
};

function entriesOf(root: string, parts: readonly string[]): readonly Named[] {
  try {
    return withDirectory(root, parts, (directory) => {
      const entries = readdirSync(directory.path, { withFileTypes: true });
      return entries.map((entry) => namedOf(directory, entry));
    });
  } catch (error) {
    const code = (error as { code?: string }).code ?? 'error';
    // It was removed, or another thing was put in its place, since it was seen.
    if (code === 'ENOENT' && parts.length > 0) return [];
    throw new ResultFault(`${shown(parts.join('/'))} cannot be read: ${code}`);
  }
}

function namedOf(directory: OpenDirectory, entry: Dirent): Named {
  const { name } = entry;
  if (entry.isDirectory()) return { name, kind: 'directory', target: '' };
  if (entry.isFile()) return { name, kind: 'file', target: '' };
  if (!entry.isSymbolicLink()) return { name, kind: 'other', target: '' };
  return { name, kind: 'link', target: readlinkSync(join(directory.path, name)) };
}

function linkOf({ from, target }: Entry, path: string): string {
  if (staysBelow(from, target) && staysBelow(path, target)) return target;
  throw new ResultFault(`${shown(path)} is a link that leads out of the directory`);
}

function checkPath(path: string): void {
  const problem = path.includes('\ufffd') ? 'is no UTF-8' : pathProblem(path);
  if (problem !== null) throw new ResultFault(`${shown(path)} ${problem}`);
}

/** Paths are a stranger's: short, and without anything that a terminal would obey. */
export function shown(path: string): string {
  const plain = [...path].map((one) => (one < ' ' || one === '\u007f' ? '?' : one)).join('');
  return JSON.stringify(
    plain.length > shownLengthMax ? `${plain.slice(0, shownLengthMax)}…` : plain,
  );
}
