import { pathProblem } from './file-path.ts';

/**
 * Which files of a chunk are its results. A pattern is a path whose parts may hold `*` (any
 * characters), `?` (one) and be `**` (any number of parts, none included). What names a directory
 * means all that is in it. As in a shell, nothing but a point matches one at the beginning of a
 * name.
 */
export type ResultPattern = readonly string[];

/** What is wrong with it as the end of a sentence, or `null`. */
export function patternProblem(text: string): string | null {
  return pathProblem(text.replace(/\/$/, ''));
}

export function parsePattern(text: string): ResultPattern {
  const parts = text.split('/');
  return parts.at(-1) === '' ? [...parts.slice(0, -1), '**'] : parts;
}

/** Whether the path, or a directory that it lies in, is meant. */
export function isMatched(pattern: ResultPattern, path: string): boolean {
  return matchParts(pattern, path.split('/'), true).isMatched;
}

/** Whether something below this directory may be meant: others need not be looked into. */
export function mayMatchBelow(pattern: ResultPattern, directory: string): boolean {
  return matchParts(pattern, directory.split('/'), false).isOpen;
}

/**
 * Follows all ways to read the pattern at once, so that no pattern takes longer than its length
 * times that of the path.
 */
function matchParts(
  pattern: ResultPattern,
  path: readonly string[],
  isFile: boolean,
): { readonly isMatched: boolean; readonly isOpen: boolean } {
  let at = closure(pattern, [0]);
  for (const [depth, part] of path.entries()) {
    const next: number[] = [];
    for (const place of at) {
      const wanted = pattern[place];
      if (wanted === undefined) continue;
      if (wanted === '**') {
        if (!part.startsWith('.')) next.push(place);
      } else if (matchesPart(wanted, part)) next.push(place + 1);
    }
    at = closure(pattern, next);
    const isInside = at.includes(pattern.length) && (depth < path.length - 1 || !isFile);
    if (isInside) return { isMatched: true, isOpen: true };
    if (at.length === 0) return { isMatched: false, isOpen: false };
  }
  return { isMatched: at.includes(pattern.length), isOpen: at.length > 0 };
}

/** `**` may also stand for nothing. */
function closure(pattern: ResultPattern, places: readonly number[]): number[] {
  const all = new Set<number>();
  for (let place of places) {
    while (!all.has(place)) {
      all.add(place);
      if (pattern[place] !== '**') break;
      place += 1;
    }
  }
  return [...all];
}

/** One name against one part, in a time of at most their lengths multiplied. */
function matchesPart(wanted: string, name: string): boolean {
  if (name.startsWith('.') && !wanted.startsWith('.')) return false;
  const [pattern, text] = [[...wanted], [...name]];
  let [p, t, star, from] = [0, 0, -1, 0];
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++;
      from = t;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p += 1;
      t += 1;
    } else if (star >= 0) {
      p = star + 1;
      t = ++from;
    } else return false;
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}
