import { ProblemError } from '../../../core/contract/problem.ts';
import type { Call } from './call.ts';

/**
 * What a caller assumes about the thing that it changes: `If-Match` and `If-None-Match: *`. The
 * versions are those of users' writes, which an ETag begins with.
 */
export type Precondition = {
  /** It is there: in one of these versions, or in any (`null`). */
  readonly match: { readonly versions: readonly number[] | null } | null;
  /** It is not there. */
  readonly absent: boolean;
};

export const noPrecondition: Precondition = { match: null, absent: false };

/** Tags that a proxy made weak when it compressed the answer still name the version. */
const tagPattern = /^(?:W\/)?"(\d{1,15})-[\w-]{1,32}"$/;

/** One member of the list is enough. What is no tag of ours matches nothing. */
export function readPrecondition({ headers }: Call): Precondition {
  const absent = headers['if-none-match']?.trim() === '*';
  const header = headers['if-match'];
  if (header === undefined) return { match: null, absent };
  if (header.trim() === '*') return { match: { versions: null }, absent };
  const versions = header.split(',').flatMap((part) => {
    const match = tagPattern.exec(part.trim());
    return match === null ? [] : [Number(match[1])];
  });
  return { match: { versions }, absent };
}

export function checkVersion({ match }: Precondition, version: number): void {
  const versions = match?.versions ?? null;
  if (versions !== null && !versions.includes(version)) {
    throw new ProblemError('precondition-failed');
  }
}

/** Of a thing that is there: whoever wanted to make it is refused. */
export function checkPresent(precondition: Precondition, version: number): void {
  if (precondition.absent) throw new ProblemError('precondition-failed');
  checkVersion(precondition, version);
}

/** Of a thing that is not there: whoever wanted to change it is refused. */
export function checkAbsent({ match }: Precondition): void {
  if (match !== null) throw new ProblemError('precondition-failed');
}
