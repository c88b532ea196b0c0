import { checkQuery } from '../http/call.ts';
import { readPaging } from '../http/cursor.ts';
import { pageAnswer } from '../http/page.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { isWithin, tokenView } from './token-view.ts';

const list = { name: 'tokens', position: /^[0-9a-z]{18}$/ };

/** `GET /v1/tokens`: those that the caller could have made, without their secrets. */
export const listTokens = defineOperation({
  name: 'listTokens',
  read: (call) => {
    checkQuery(call, ['limit', 'cursor']);
    return readPaging(call, list);
  },
  run: async ({ position, limit, cursorOf }, { caller }, deps: Pick<Ports, 'tokens'>) => {
    const rows = await deps.tokens.list(position, limit + 1);
    const page = rows.slice(0, limit);
    const items = page.filter((it) => isWithin(caller, it)).map(tokenView);
    const last = page.at(-1);
    const more = rows.length > limit && last !== undefined;
    return { items, nextCursor: more ? cursorOf(last.id) : null };
  },
  answer: pageAnswer,
});
