import { isCount, isRecord } from '../protocol/json.ts';
import { clashOf, pathProblem, staysBelow } from './file-path.ts';
import { fileBytesMax, manifestEntriesMax } from './limits.ts';

/**
 * A tree of files as a file: a sorted list of what lies where. Equal trees have equal manifests, so
 * a tree has one digest, too. Whoever reads one holds it for hostile: it was stored by somebody.
 */
export type ManifestEntry = {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** It may be run as a program. */
  readonly isExecutable: boolean;
};

export type ManifestLink = { readonly path: string; readonly link: string };

export type Manifest = {
  readonly files: readonly ManifestEntry[];
  readonly links: readonly ManifestLink[];
};

export const digestPattern = /^[0-9a-f]{64}$/;

/** A manifest from JSON, or what is wrong with it as a sentence. */
export function parseManifest(value: unknown): Manifest | string {
  if (!Array.isArray(value)) return 'it is not a list';
  if (value.length > manifestEntriesMax) return `it has more than ${manifestEntriesMax} entries`;
  const files: ManifestEntry[] = [];
  const links: ManifestLink[] = [];
  for (const [at, item] of value.entries()) {
    const entry = readEntry(item);
    if (typeof entry === 'string') return `entry ${at} ${entry}`;
    if ('link' in entry) links.push(entry);
    else files.push(entry);
  }
  const clash = clashOf([...files, ...links].map(({ path }) => path));
  if (clash !== null) return `"${clash[0]}" and "${clash[1]}" cannot both be there`;
  return { files, links };
}

function readEntry(value: unknown): ManifestEntry | ManifestLink | string {
  if (!isRecord(value)) return 'is no object';
  const { path, sha256, bytes, mode, link } = value;
  if (typeof path !== 'string') return 'has no path';
  const problem = pathProblem(path);
  if (problem !== null) return `has a path that ${problem}`;
  if (link !== undefined) {
    if (typeof link !== 'string' || sha256 !== undefined) return 'is no link and no file';
    return staysBelow(path, link) ? { path, link } : 'is a link that leads out';
  }
  if (typeof sha256 !== 'string' || !digestPattern.test(sha256)) return 'has no sha256';
  if (!isCount(bytes) || bytes > fileBytesMax) return 'has no size';
  if (mode !== undefined && mode !== '644' && mode !== '755') return 'has an unknown mode';
  return { path, sha256, bytes, isExecutable: mode === '755' };
}

/** The text of a manifest: the same for the same tree. */
export function formatManifest({ files, links }: Manifest): string {
  const lines = [
    ...files.map(({ path, sha256, bytes, isExecutable }) => {
      return { path, sha256, bytes, mode: isExecutable ? '755' : '644' };
    }),
    ...links.map(({ path, link }) => ({ path, link })),
  ];
  lines.sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
  return `[${lines.map((line) => JSON.stringify(line)).join(',\n')}]\n`;
}
