import { createHash } from 'node:crypto';
import { ProblemError } from '../../../core/contract/problem.ts';
import { listLimitDefault, listLimitMax } from '../../../core/model/limits.ts';
import { cursorLengthMax } from '../../limits.ts';
import { badQuery, type Call } from './call.ts';

/**
 * Cursors are positions, opaque to users: `<list>|<of what>|<position>` in base64url. A position is
 * the key of the last item given, so a list goes on where it was whatever was added or removed
 * meanwhile. A cursor grants nothing: filters and rights are applied anew to every page. One that
 * was given for another list, another job or other filters is refused, because it would go on in
 * the middle of something else.
 */
export type List = {
  readonly name: string;
  readonly position: RegExp;
};

/** Where a page begins and how long it is; and the cursors of this list with these filters. */
export type Paging = {
  readonly limit: number;
  readonly position: string | null;
  readonly cursorOf: (position: string) => string;
};

/** What chooses the items of a list: names in the path, and filters; `null` is none. */
export type Scope = Readonly<Record<string, string | readonly string[] | null>>;

export type AskedPage = { readonly limit: number; readonly cursor: string | null };

export function pagingOf(list: List, scope: Scope, { limit, cursor }: AskedPage): Paging {
  const prefix = prefixOf(list, scope);
  const cursorOf = (position: string): string =>
    Buffer.from(`${prefix}${position}`, 'utf8').toString('base64url');
  if (limit < 1 || limit > listLimitMax) {
    throw badQuery('limit', `This must be a whole number from 1 to ${listLimitMax}.`);
  }
  if (cursor === null) return { limit, position: null, cursorOf };
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const position = text.slice(prefix.length);
  const ours =
    cursor.length <= cursorLengthMax &&
    text.startsWith(prefix) &&
    list.position.test(position) &&
    cursorOf(position) === cursor;
  if (!ours) throw new ProblemError('invalid-cursor');
  return { limit, position, cursorOf };
}

/** Of a list that only its path and its query choose. */
export function readPaging(call: Call, list: List): Paging {
  const { limit: _limit, cursor: _cursor, ...filters } = call.query;
  return pagingOf(list, { ...call.params, ...filters }, askedPage(call));
}

export function askedPage({ query }: Call): AskedPage {
  return { limit: limitOf(query.limit), cursor: query.cursor ?? null };
}

function prefixOf({ name }: List, scope: Scope): string {
  const chosen = Object.entries(scope).filter(([, value]) => value !== null && value.length > 0);
  const digest = createHash('sha256').update(JSON.stringify(chosen.sort()));
  return `${name}|${digest.digest('base64url').slice(0, 8)}|`;
}

/** Zero, which no page can have, for what is no number. */
function limitOf(text: string | undefined): number {
  if (text === undefined) return listLimitDefault;
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}
