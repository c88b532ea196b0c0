/**
 * Names and ids. Ids sort by creation time; names are DNS labels, so they are safe in keys, topics
 * and URLs.
 */

export type JobId = string & { readonly __job?: never };
export type EdgeName = string & { readonly __edge?: never };
export type CellId = string & { readonly __cell?: never };

export const namePattern = /^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$/;

export function isName(text: string): text is EdgeName {
  return namePattern.test(text);
}

/** 9 characters of base-36 milliseconds keep their order until the year 5188. */
const timeDigits = 9;

/** What a job id is made of besides its time: a digit of base 36 for each. */
export const jobIdRandomBytes = 9;

/** A job id: the time first, so that ids sort, then randomness given by the caller. */
export function makeJobId(nowMs: number, random: Uint8Array): JobId {
  let tail = '';
  for (const byte of random) tail += (byte % 36).toString(36);
  return (timeDigitsOf(nowMs) +
    tail.slice(0, jobIdRandomBytes).padEnd(jobIdRandomBytes, '0')) as JobId;
}

const timeIdPattern = /^[0-9a-z]{18}$/;

/** An id made here, which sorts by its time; users may choose other ones. */
export function isTimeId(id: JobId): boolean {
  return timeIdPattern.test(id);
}

/** The time part of an id, for what must sort among ids. */
export function timeDigitsOf(nowMs: number): string {
  return nowMs.toString(36).padStart(timeDigits, '0');
}

/**
 * Cells are numbered inside their pool: `default.0`. A pool name has no dot, so this cannot
 * collide.
 */
export function makeCellId(pool: string, index: number): CellId {
  return `${pool}.${index}` as CellId;
}

export function poolOfCell(cell: CellId): string {
  return cell.slice(0, cell.lastIndexOf('.'));
}

/** `default.2` comes before `default.10`. */
export function compareCells(a: CellId, b: CellId): number {
  const [poolA, poolB] = [poolOfCell(a), poolOfCell(b)];
  if (poolA !== poolB) return poolA < poolB ? -1 : 1;
  return Number(a.slice(poolA.length + 1)) - Number(b.slice(poolB.length + 1));
}
