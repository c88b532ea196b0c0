import { createHash } from 'node:crypto';
import { listLimitDefault, listLimitMax } from '../../../core/limits.ts';
import { ProblemError } from '../../../core/wire/problem.ts';
import { badQuery, type Call } from './call.ts';

/**
 * Cursors are positions, opaque to users: `<list>|<of what>|<position>` in base64url. A position is
 * the key of the last item given, so a list goes on where it was whatever was added or removed
 * meanwhile. A cursor grants nothing: filters and rights are applied anew to every page. One that
 * was given for another list, another job or other filters is refused, because it would go on in
 * the middle of something else.
 */
export function encodeCursor(call: Call, list: string, position: string): string {
  return Buffer.from(`${prefixOf(call, list)}${position}`, 'utf8').toString('base64url');
}

function prefixOf({ params, query, repeated }: Call, list: string): string {
  const { limit: _limit, cursor: _cursor, ...filters } = query;
  const asked = Object.entries({ ...params, ...filters, ...repeated }).sort();
  const digest = createHash('sha256').update(JSON.stringify(asked)).digest('base64url');
  return `${list}|${digest.slice(0, 8)}|`;
}

const positionLengthMax = 512;

export function readCursor(call: Call, list: string, pattern: RegExp): string | null {
  const cursor = call.query.cursor;
  if (cursor === undefined) return null;
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const prefix = prefixOf(call, list);
  const position = text.slice(prefix.length);
  const ours =
    cursor.length <= positionLengthMax &&
    text.startsWith(prefix) &&
    pattern.test(position) &&
    encodeCursor(call, list, position) === cursor;
  if (!ours) throw new ProblemError('invalid-cursor');
  return position;
}

export function readLimit(call: Call): number {
  const text = call.query.limit;
  if (text === undefined) return listLimitDefault;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > listLimitMax) {
    throw badQuery('limit', `This must be a whole number from 1 to ${listLimitMax}.`);
  }
  return limit;
}

export type ListAnswer<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };
