import { fileNameBytesMax, filePathBytesMax } from './limits.ts';

/**
 * Paths of files below a directory that is given to somebody: relative, without a step upwards, and
 * such that every file system takes them. Checked by who hands in, by the API, and by the edge.
 */

/** What is wrong with it as the end of a sentence, or `null`. */
export function pathProblem(path: string): string | null {
  if (path === '') return 'is empty';
  if (path.startsWith('/')) return 'begins with a slash';
  if (utf8Length(path) > filePathBytesMax) return `has more than ${filePathBytesMax} bytes`;
  if (!path.isWellFormed()) return 'holds half a character';
  if (hasControl(path)) return 'holds a control character';
  for (const name of path.split('/')) {
    if (name === '') return 'has an empty part';
    if (name === '.' || name === '..') return `has a part "${name}"`;
    if (utf8Length(name) > fileNameBytesMax) {
      return `has a name of more than ${fileNameBytesMax} bytes`;
    }
  }
  return null;
}

/** Whether a link at `path` that says `target` stays below the directory that both lie in. */
export function staysBelow(path: string, target: string): boolean {
  if (target === '' || target.startsWith('/') || hasControl(target)) return false;
  if (utf8Length(target) > filePathBytesMax) return false;
  const at = path.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '..') {
      if (at.pop() === undefined) return false;
    } else if (part !== '' && part !== '.') at.push(part);
  }
  return true;
}

/**
 * The first two of these that cannot both be there: the same path, or one that lies in the other.
 * A manifest's place is a directory, so what it holds is compared with its place.
 */
export function clashOf(paths: readonly string[]): readonly [string, string] | null {
  const sorted = paths.map((path) => `${path}/`).sort(byCodePoints);
  for (let at = 1; at < sorted.length; at++) {
    const [before, path] = [sorted[at - 1]!, sorted[at]!];
    if (path.startsWith(before)) return [before.slice(0, -1), path.slice(0, -1)];
  }
  return null;
}

const byCodePoints = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
