import type { Page } from '../../core/contract/resources.ts';
import type { Answer, Client } from '../api/client.ts';

/** A list read to its end or to `itemsMax`, whichever comes first. */
export type Collection<T> = { readonly items: readonly T[]; readonly more: boolean };

const pageItems = 500;

/**
 * Reads all pages of a list. When no page changed, the collection is the same object as before.
 * `partial` is called with the first page, so that a long list shows something before it is
 * complete.
 */
export function createCollectionLoader<T>(client: Client, path: string, itemsMax: number) {
  let before: Collection<T> | null = null;

  return async (partial: (first: Collection<T>) => void): Promise<Answer<Collection<T>>> => {
    const items: T[] = [];
    let cursor: string | null = null;
    let unchanged = before !== null;
    do {
      const answer: Answer<Page<T>> = await client.read<Page<T>>(pagePath(path, cursor));
      if (!answer.ok) return answer;
      unchanged &&= answer.unchanged;
      for (const item of answer.value.items) items.push(item);
      cursor = answer.value.nextCursor ?? null;
      if (cursor !== null && before === null) partial({ items: [...items], more: true });
    } while (cursor !== null && items.length < itemsMax);
    if (unchanged && before?.items.length === items.length) {
      return { ok: true, value: before, unchanged: true };
    }
    before = { items, more: cursor !== null };
    return { ok: true, value: before, unchanged: false };
  };
}

function pagePath(path: string, cursor: string | null): string {
  const joint = path.includes('?') ? '&' : '?';
  const from = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  return `${path}${joint}limit=${pageItems}${from}`;
}
