import { answerBytesMax } from '../../../core/model/limits.ts';
import type { Answer } from './call.ts';
import type { Paging } from './cursor.ts';

/** A page of a list. */
export type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };

/** With the cursor behind each item, which the graph shows. */
export type CursorPage<T> = Page<T> & { readonly cursors: readonly string[] };

/**
 * At most as many items as were asked for, and no more than one answer can carry. A page that ends
 * early for its size says so with its cursor, like any other; one item always fits. `next` is the
 * position to go on from, `null` at the end of the list.
 */
export function pageOf<T>(
  { cursorOf }: Paging,
  items: readonly T[],
  positionOf: (item: T) => string,
  next: string | null,
): CursorPage<T> {
  const fitting = items.slice(0, fittingCount(items));
  const cursors = fitting.map((item) => cursorOf(positionOf(item)));
  const whole = fitting.length === items.length;
  const nextCursor = whole ? next && cursorOf(next) : (cursors.at(-1) ?? null);
  return { items: fitting, cursors, nextCursor };
}

/** Of a list that is short and was read whole: what of it is behind the position. */
export function pageOfRest<T>(
  paging: Paging,
  rest: readonly T[],
  positionOf: (item: T) => string,
): CursorPage<T> {
  const items = rest.slice(0, paging.limit);
  const last = rest.length > items.length ? items.at(-1) : undefined;
  return pageOf(paging, items, positionOf, last === undefined ? null : positionOf(last));
}

export function pageAnswer<T>({ items, nextCursor }: Page<T>): Answer {
  return { status: 200, body: { items, nextCursor } };
}

function fittingCount(items: readonly unknown[]): number {
  let bytes = 0;
  for (const [at, item] of items.entries()) {
    bytes += carriedBytes(JSON.stringify(item));
    if (bytes > answerBytesMax && at > 0) return at;
  }
  return items.length;
}

/**
 * A function answers with a text inside of JSON: there each quote and backslash takes two bytes.
 */
export function carriedBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
