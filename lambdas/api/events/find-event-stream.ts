import { checkQuery } from '../http/call.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { readAfter } from './event-cursor.ts';
import { eventQuery, eventStreamPath, readFilter } from './event-filter.ts';

/**
 * `GET /v1/events/stream`: the address where events come as they happen. The gateway gives whole
 * answers only, so that they are streamed by a function with an address of its own, which asks for
 * the same token again.
 */
export const findEventStream = defineOperation({
  name: 'streamFleetEvents',
  read: (call) => {
    checkQuery(call, eventQuery);
    readFilter(call);
    readAfter(call.query.after);
    return new URLSearchParams(call.query);
  },
  run: async (query, _context, { eventStream }: Pick<Ports, 'eventStream'>) => {
    const address = new URL(eventStreamPath, eventStream);
    address.search = query.toString();
    return address.href;
  },
  answer: (location) => ({ status: 307, headers: { location } }),
});
