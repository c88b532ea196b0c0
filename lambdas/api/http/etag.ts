import { createHash } from 'node:crypto';
import type { Answer, Call } from './call.ts';

/**
 * `ETag: "<version>-<digest>"`. The digest is of the whole answer, so a cached copy is never stale.
 * The version counts the writes of users: only it decides `If-Match`, so that a job's own progress
 * does not spoil an edit.
 */
export type Versioned<T> = { readonly version: number; readonly view: T };

export function etagOf(version: number, body: unknown): string {
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64url');
  return `"${version}-${digest.slice(0, 16)}"`;
}

export function tagged<T>(status: number, { version, view }: Versioned<T>): Answer {
  return { status, headers: { etag: etagOf(version, view) }, body: view };
}

/** A reader that has this very answer already gets 304. */
export function notModified(call: Call, answer: Answer): Answer {
  const etag = answer.headers?.etag;
  const known = call.headers['if-none-match'];
  if (call.method !== 'GET' || etag === undefined || known === undefined) return answer;
  const tags = known.split(',').map((part) => part.trim().replace(/^W\//, ''));
  if (answer.status !== 200 || (!tags.includes(etag) && known.trim() !== '*')) return answer;
  return { status: 304, headers: { etag } };
}
