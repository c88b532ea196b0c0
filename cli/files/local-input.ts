import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readlink, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, normalize, relative, resolve } from 'node:path';
import { pathProblem, staysBelow } from '../../core/files/file-path.ts';
import { fileBytesMax, fileInPartsBytesMin, manifestEntriesMax } from '../../core/files/limits.ts';
import {
  formatManifest,
  type ManifestEntry,
  type ManifestLink,
} from '../../core/files/manifest.ts';
import { exitCode } from '../exit-code.ts';
import { Failure, usage } from '../failure.ts';
import { readBytes } from '../limits.ts';
import { largeFileSums } from './large-file-sums.ts';

/**
 * What `--input` names, as a job names it: a file or a tree of this machine, by what is in it.
 * Files are read through, and never whole in memory.
 */
export type LocalInput = {
  /** As the body of a job has it. */
  readonly input: {
    readonly path: string;
    readonly sha256?: string;
    readonly manifest?: string;
    readonly executable?: true;
    readonly unpack?: 'tar.gz';
  };
  /** What has to be stored for it. */
  readonly sources: readonly FileSource[];
};

export type FileSource = {
  readonly sha256: string;
  readonly bytes: number;
  /** Of a large file, which is sent in parts, the digests of them. */
  readonly parts?: readonly string[];
  /** For people. */
  readonly name: string;
  readonly from: { readonly file: string } | { readonly text: string };
};

/** `FILE`, `DIR/` or `PATH=FILE`: where it lies for a chunk, and where it is here. */
export async function readLocalInput(word: string, directory: string): Promise<LocalInput> {
  const { path, file } = placeOf(word, directory);
  const problem = pathProblem(path);
  if (problem !== null) {
    throw usage(`--input ${word}: "${path}" ${problem}.`, 'Say where it lies: PATH=FILE.');
  }
  const found = await stat(file).catch(() => null);
  if (found === null) throw new Failure(exitCode.usage, `There is no file ${file}.`);
  if (found.isDirectory()) return readTree(path, file);
  if (!found.isFile()) throw usage(`${file} is neither a file nor a directory.`);
  const source = await readSource(file);
  const mayRun = isExecutable(found.mode) ? ({ executable: true } as const) : {};
  return { input: { path, sha256: source.sha256, ...mayRun }, sources: [source] };
}

/** `FILE` or `PATH=FILE`: an archive, and below which directory chunks find what is in it. */
export async function readLocalArchive(word: string, directory: string): Promise<LocalInput> {
  const { path: named, file } = placeOf(word, directory);
  const path = word.includes('=')
    ? named.replace(/\/$/, '')
    : named.replace(/\.(tar\.gz|tgz)$/, '');
  const problem = path === named && !word.includes('=') ? 'is no directory' : pathProblem(path);
  if (problem !== null) {
    throw usage(`--unpack ${word}: "${path}" ${problem}.`, 'Say where it lies: PATH=FILE.');
  }
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw new Failure(exitCode.usage, `There is no file ${file}.`);
  const source = await readSource(file);
  return { input: { path, sha256: source.sha256, unpack: 'tar.gz' }, sources: [source] };
}

/** A path below the working directory means the same there as here; any other its last name. */
function placeOf(word: string, directory: string): { path: string; file: string } {
  const at = word.indexOf('=');
  if (at > 0) return { path: word.slice(0, at), file: resolve(directory, word.slice(at + 1)) };
  const file = resolve(directory, word);
  const below = relative(directory, file);
  const isBelow = below !== '' && !below.startsWith('..') && !isAbsolute(below);
  return { path: isBelow ? normalize(below) : basename(file), file };
}

async function readTree(path: string, root: string): Promise<LocalInput> {
  const files: ManifestEntry[] = [];
  const links: ManifestLink[] = [];
  const sources: FileSource[] = [];
  for await (const { name, file, kind } of walk(root)) {
    const problem = pathProblem(name);
    if (problem !== null) throw usage(`${file} cannot be sent: its path ${problem}.`);
    if (files.length + links.length >= manifestEntriesMax) {
      throw usage(`${root} has more than ${manifestEntriesMax} files.`, 'Send an archive of it.');
    }
    if (kind === 'link') {
      const link = await readlink(file);
      if (!staysBelow(name, link)) throw usage(`${file} is a link that leads out of ${root}.`);
      links.push({ path: name, link });
      continue;
    }
    const source = await readSource(file);
    const { mode } = await stat(file);
    const { sha256, bytes } = source;
    files.push({ path: name, sha256, bytes, isExecutable: isExecutable(mode) });
    sources.push(source);
  }
  const text = formatManifest({ files, links });
  const sha256 = createHash('sha256').update(text).digest('hex');
  const list = { sha256, bytes: Buffer.byteLength(text), name: `list of ${root}`, from: { text } };
  return { input: { path, manifest: sha256 }, sources: [...sources, list] };
}

const isExecutable = (mode: number): boolean => (mode & 0o100) !== 0;

type Found = {
  readonly name: string;
  readonly file: string;
  readonly kind: 'file' | 'link';
};

async function* walk(root: string): AsyncGenerator<Found> {
  const open = [''];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const entry of await readdir(join(root, at), { withFileTypes: true })) {
      const name = at === '' ? entry.name : `${at}/${entry.name}`;
      const file = join(root, name);
      if (entry.isDirectory()) open.push(name);
      else if (entry.isSymbolicLink()) yield { name, file, kind: 'link' };
      else if (entry.isFile()) yield { name, file, kind: 'file' };
      else throw usage(`${file} is neither a file, a directory nor a link.`);
    }
  }
}

/** A file of this machine, read through for its digest. */
export async function readSource(file: string): Promise<FileSource> {
  const { size } = await stat(file);
  if (size > fileBytesMax) {
    throw usage(`${file} is larger than ${fileBytesMax} bytes.`, 'Cut it into parts.');
  }
  const named = { name: file, from: { file } };
  if (size > fileInPartsBytesMin) return { ...(await largeFileSums(file)), ...named };
  const sum = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: readBytes })) {
    sum.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { sha256: sum.digest('hex'), bytes, ...named };
}
