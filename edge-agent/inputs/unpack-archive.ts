import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { posix } from 'node:path';
import { createGunzip } from 'node:zlib';
import { clashOf, pathProblem, staysBelow } from '../../core/files/file-path.ts';
import { fileBytesMax, manifestEntriesMax } from '../../core/files/limits.ts';
import type { Manifest, ManifestEntry } from '../../core/files/manifest.ts';
import type { FileCache } from './file-cache.ts';
import { InputFault } from './input-fault.ts';
import { NoTar, readTar, type TarContent, type TarEntry } from './tar-reader.ts';

/**
 * Unpacks an archive into the cache, file by file, and answers what lies where in it: from then on
 * it is a tree like any other. It was made by a stranger: nothing of it leads out, and what it
 * unfolds to has to fit as if it had been sent. Directories without files are left out.
 */
export type UnpackInto = {
  readonly cache: Pick<FileCache, 'partial' | 'admit' | 'makeRoom'>;
  /** Hears of each file as soon as it is known: from then on it is in use. */
  readonly note: (digest: string) => void;
  readonly signal: AbortSignal;
};

export async function unpackArchive(archive: string, into: UnpackInto): Promise<Manifest> {
  const files = new Map<string, ManifestEntry>();
  const links = new Map<string, string>();
  const zipped = createReadStream(archive, { signal: into.signal });
  const plain = createGunzip();
  zipped.once('error', (error) => plain.destroy(error));
  try {
    for await (const { entry, content } of readTar(zipped.pipe(plain))) {
      into.signal.throwIfAborted();
      if (entry.kind === 'directory') continue;
      const path = pathOf(entry.path);
      // What comes later replaces what was there, as it does for who unpacks it.
      files.delete(path);
      links.delete(path);
      if (entry.kind === 'link') links.set(path, linkOf(path, entry));
      else if (entry.kind === 'hard-link') files.set(path, { ...sameAs(files, entry), path });
      else if (entry.kind === 'file') files.set(path, await keep(path, entry, content, into));
      else throw corrupt(`"${shown(path)}" is no file, directory or link`);
      if (files.size + links.size > manifestEntriesMax) {
        throw corrupt(`it has more than ${manifestEntriesMax} files`);
      }
    }
  } catch (error) {
    throw faultOf(error);
  } finally {
    zipped.destroy();
    plain.destroy();
  }
  const clash = clashOf([...files.keys(), ...links.keys()]);
  if (clash !== null) throw corrupt(`"${shown(clash[0])}" and another cannot both be there`);
  return {
    files: [...files.values()],
    links: [...links].map(([path, link]) => ({ path, link })),
  };
}

async function keep(
  path: string,
  { bytes, isExecutable }: TarEntry,
  content: TarContent,
  { cache, note }: UnpackInto,
): Promise<ManifestEntry> {
  if (bytes > fileBytesMax || !cache.makeRoom(bytes)) {
    throw new InputFault('no-free-disk', `an archive with a file of ${bytes} bytes does not fit`);
  }
  const part = `unpacked-${randomBytes(8).toString('hex')}`;
  const sum = createHash('sha256');
  const file = await open(cache.partial(part), 'wx', 0o600);
  try {
    await content(async (piece) => {
      sum.update(piece);
      await file.writeFile(piece);
    });
  } catch (error) {
    rmSync(cache.partial(part), { force: true });
    throw error;
  } finally {
    await file.close();
  }
  const sha256 = sum.digest('hex');
  note(sha256);
  cache.admit(sha256, part);
  return { path, sha256, bytes, isExecutable };
}

/** `./a//b` is written for `a/b`; whatever leads elsewhere is refused, and not made harmless. */
function pathOf(written: string): string {
  const path = posix.normalize(written).replace(/\/$/, '');
  const climbs = written.split('/').includes('..');
  const problem = climbs ? 'leads upwards' : pathProblem(path);
  if (problem !== null) throw corrupt(`"${shown(written)}" ${problem}`);
  return path;
}

function linkOf(path: string, { target }: TarEntry): string {
  if (staysBelow(path, target)) return target;
  throw corrupt(`"${shown(path)}" is a link that leads out`);
}

function sameAs(files: ReadonlyMap<string, ManifestEntry>, { target }: TarEntry): ManifestEntry {
  const same = files.get(pathOf(target));
  if (same === undefined) throw corrupt(`"${shown(target)}" is not in it before its other name`);
  return same;
}

/** A stranger's: short, and without anything that a terminal would obey. */
function shown(path: string): string {
  const plain = [...path].map((one) => (one < ' ' || one === '\u007f' ? '?' : one));
  return plain.length > 40 ? `${plain.slice(0, 40).join('')}…` : plain.join('');
}

const corrupt = (what: string): InputFault =>
  new InputFault('input-corrupt', `an archive: ${what}`);

function faultOf(error: unknown): unknown {
  if (error instanceof NoTar) return corrupt(error.message);
  const code = (error as { code?: string }).code ?? '';
  return code.startsWith('Z_') ? corrupt('it is not packed by gzip') : error;
}
