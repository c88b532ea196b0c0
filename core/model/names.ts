import { shownLengthMax } from './limits.ts';

/**
 * Names and ids. Ids sort by creation time; names are DNS labels, so they are safe in keys, topics
 * and URLs.
 *
 * A text becomes an id or a name here and nowhere else. Text from outside goes through `parseJobId`
 * and its like, which answer `null`; text that was checked before, or that we wrote ourselves, goes
 * through `jobIdOf` and its like, for which anything else is a defect.
 */
declare const kind: unique symbol;

export type JobId = string & { readonly [kind]: 'job' };
export type EdgeName = string & { readonly [kind]: 'edge' };
export type CellId = string & { readonly [kind]: 'cell' };

export const namePattern = /^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$/;
const cellNumberPattern = /^(0|[1-9]\d{0,8})$/;

/** Pools, queues, edges and jobs are named alike. */
export function isName(text: string): boolean {
  return namePattern.test(text);
}

export function parseJobId(text: string): JobId | null {
  return isName(text) ? (text as JobId) : null;
}

export function parseEdgeName(text: string): EdgeName | null {
  return isName(text) ? (text as EdgeName) : null;
}

export function parseCellId(text: string): CellId | null {
  const dot = text.lastIndexOf('.');
  const isCell = isName(text.slice(0, dot)) && cellNumberPattern.test(text.slice(dot + 1));
  return isCell ? (text as CellId) : null;
}

export function jobIdOf(text: string): JobId {
  return parseJobId(text) ?? invalid('job id', text);
}

export function edgeNameOf(text: string): EdgeName {
  return parseEdgeName(text) ?? invalid('edge name', text);
}

export function cellIdOf(text: string): CellId {
  return parseCellId(text) ?? invalid('cell id', text);
}

function invalid(what: string, text: string): never {
  throw new Error(`not a valid ${what}: ${JSON.stringify(text.slice(0, shownLengthMax))}`);
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

export function indexOfCell(cell: CellId): number {
  return Number(cell.slice(cell.lastIndexOf('.') + 1));
}

/** `default.2` comes before `default.10`. */
export function compareCells(a: CellId, b: CellId): number {
  const [poolA, poolB] = [poolOfCell(a), poolOfCell(b)];
  if (poolA !== poolB) return poolA < poolB ? -1 : 1;
  return indexOfCell(a) - indexOfCell(b);
}
