import type { Page } from '../../core/contract/resources.ts';
import { listItemsMax, pageLimitMax } from '../limits.ts';
import type { Api, Query } from './api.ts';

/** Follows cursors until `limit` items are there; the result has the shape of one page. */
export async function listPages<T>(
  api: Api,
  path: string,
  query: Query,
  limit: number,
  cursor: string | undefined = undefined,
): Promise<Page<T>> {
  const items: T[] = [];
  const wanted = Math.min(limit, listItemsMax);
  let next: string | null | undefined = cursor;
  do {
    const page: Page<T> = await api.get(path, {
      ...query,
      limit: Math.min(pageLimitMax, wanted - items.length),
      cursor: next ?? undefined,
    });
    items.push(...page.items);
    next = page.nextCursor ?? null;
  } while (next !== null && items.length < wanted);
  return { items, nextCursor: next };
}
