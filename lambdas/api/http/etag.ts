import { createHash } from 'node:crypto';
import { ProblemError } from '../../../core/wire/problem.ts';
import type { Answer, Call } from './call.ts';

/**
 * `ETag: "<version>-<digest>"`. The digest is of the whole answer, so a cached copy is never stale.
 * The version counts the writes of users: only it decides `If-Match`, so that a job's own progress
 * does not spoil an edit.
 */
export function etagOf(version: number, body: unknown): string {
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64url');
  return `"${version}-${digest.slice(0, 16)}"`;
}

export function tagged(status: number, version: number, body: unknown): Answer {
  return { status, headers: { etag: etagOf(version, body) }, body };
}

/** Tags that a proxy made weak when it compressed the answer still name the version. */
const tagPattern = /^(?:W\/)?"(\d{1,15})-[\w-]{1,32}"$/;

/**
 * The version that `If-Match` asks for: `null` when anything will do. One list member is enough.
 * What is no tag of ours matches nothing.
 */
export function versionWanted(call: Call): readonly number[] | null {
  const header = call.headers['if-match'];
  if (header === undefined || header.trim() === '*') return null;
  return header.split(',').flatMap((part) => {
    const match = tagPattern.exec(part.trim());
    return match === null ? [] : [Number(match[1])];
  });
}

export function checkIfMatch(call: Call, version: number): void {
  const wanted = versionWanted(call);
  if (wanted !== null && !wanted.includes(version)) throw new ProblemError('precondition-failed');
}

export function wantsAbsent(call: Call): boolean {
  return call.headers['if-none-match']?.trim() === '*';
}

/** A reader that has this very answer already is told so. */
export function notModified(call: Call, answer: Answer): Answer {
  const etag = answer.headers?.etag;
  const known = call.headers['if-none-match'];
  if (call.method !== 'GET' || etag === undefined || known === undefined) return answer;
  const tags = known.split(',').map((part) => part.trim().replace(/^W\//, ''));
  if (answer.status !== 200 || (!tags.includes(etag) && known.trim() !== '*')) return answer;
  return { status: 304, headers: { etag } };
}
