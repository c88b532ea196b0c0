import { answerBytesMax } from '../../../core/limits.ts';
import type { Answer } from './call.ts';

/**
 * The page of a list: at most as many items as were asked for, and no more than one answer can
 * carry. A page that ends early for its size says so with its cursor, like any other; one item
 * always fits.
 */
export function pageAnswer<T>(
  items: readonly T[],
  cursorOf: (item: T) => string,
  nextCursor: string | null,
): Answer {
  const fitting = items.slice(0, fittingCount(items));
  const cursors = fitting.map(cursorOf);
  const next = fitting.length < items.length ? (cursors.at(-1) ?? null) : nextCursor;
  return { status: 200, body: { items: fitting, nextCursor: next }, cursors };
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
