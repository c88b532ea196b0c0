import type { EdgeName, JobId } from './names.ts';

/**
 * What of a cell could not be read. What such a row is about stands still: no pass sees it, writes
 * it or gives away what it holds, and everything else goes on. Nothing of it is stored, so that it
 * goes on by itself when the row is mended.
 */
export type Unreadable<E, J> = {
  /** Which rows, by their sort keys. */
  readonly rows: readonly string[];
  /** Edges of which is known what they hold, and no more. */
  readonly edges: ReadonlyMap<EdgeName, Damaged<E>>;
  /** Jobs of which is known what they take of an edge, and perhaps no more. */
  readonly jobs: ReadonlyMap<JobId, Damaged<J>>;
};

/** A stand-in, with what is known from elsewhere, and the row that could not be read. */
export type Damaged<T> = { readonly row: string; readonly standIn: T };

/** Parts of a cell's own row, each of which may be damaged. */
export type MetaPart = 'version' | 'health' | 'summary' | 'states';

/** Without its version a cell cannot be committed: nothing is decided until its row is mended. */
export function standsStill({
  unreadable = [],
}: {
  readonly unreadable?: readonly MetaPart[];
}): boolean {
  return unreadable.includes('version');
}
