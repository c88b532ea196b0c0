import { seesPool } from '../../../core/model/caller.ts';
import { checkQuery } from '../http/call.ts';
import { readPaging } from '../http/cursor.ts';
import { pageAnswer } from '../http/page.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { poolView } from './pool-view.ts';

const list = { name: 'pools', position: /^[a-z0-9-]{1,64}$/ };

/** `GET /v1/pools`: what pools there are, with their cells. */
export const listPools = defineOperation({
  name: 'listPools',
  read: (call) => {
    checkQuery(call, ['limit', 'cursor']);
    return readPaging(call, list);
  },
  run: async ({ position, limit, cursorOf }, { caller }, deps: Pick<Ports, 'pools'>) => {
    const all = await deps.pools.list();
    const names = all.filter((it) => it > (position ?? '') && seesPool(caller, it));
    const page = names.slice(0, limit);
    const found = await Promise.all(page.map((name) => deps.pools.find(name)));
    const items = found.map((it, at) => poolView(page[at]!, it));
    const last = page.at(-1);
    const more = names.length > limit && last !== undefined;
    return { items, nextCursor: more ? cursorOf(last) : null };
  },
  answer: pageAnswer,
});
