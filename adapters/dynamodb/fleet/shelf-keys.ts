import { createHash } from 'node:crypto';
import type { CellId, JobId } from '../../../core/model/names.ts';
import { parseJobId } from '../../../core/model/names.ts';
import type { Arrival } from '../../../core/shelf/shelf.ts';
import { cellPartition, type Key } from '../keys.ts';
import { cellRows, partitions } from '../schema.ts';

/**
 * What a group needs may be long text; keys have its digest. The rows of a group sort in the order
 * of its jobs.
 */
export function groupDigest(group: string): string {
  return createHash('sha256').update(group).digest('base64url').slice(0, digestLength);
}

/** 120 bits. */
const digestLength = 20;

/** How many stand there: a row of the cell. */
export function shelfGroupKey(cell: CellId, group: string): Key {
  return { pk: cellPartition(cell), sk: `${cellRows.shelf}${groupDigest(group)}` };
}

export function shelfPartition(cell: CellId): string {
  return `${partitions.shelf}${cell}`;
}

/** All jobs of a group begin so. */
export function shelfPrefix(group: string): string {
  return `${groupDigest(group)}#`;
}

export function shelfKey(cell: CellId, group: string, { submittedAtMs, id }: Arrival): Key {
  const at = String(submittedAtMs).padStart(timeDigits, '0');
  return { pk: shelfPartition(cell), sk: `${shelfPrefix(group)}${at}#${id}` };
}

/** Any time that a date can have. */
const timeDigits = 16;

export function jobOfShelf(sk: string): JobId | null {
  return parseJobId(sk.slice(sk.lastIndexOf('#') + 1));
}

export function digestOfShelf(sk: string): string {
  return sk.slice(0, sk.indexOf('#'));
}
