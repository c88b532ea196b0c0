import type { FleetEventsAnswer } from '../../../core/contract/event-body.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import {
  type EventFilter,
  type FleetEvent,
  isAskedFor,
  seesEvent,
  shownEvent,
} from '../../../core/events/fleet-event.ts';
import { eventsLookMs } from '../../../core/events/limits.ts';
import type { Caller } from '../../../core/model/caller.ts';
import type { LogPosition } from '../../../core/ports/fleet-log.ts';
import { checkQuery } from '../http/call.ts';
import { waitOf } from '../live/output-query.ts';
import { pause } from '../live/pause.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { cursorOf, readAfter } from './event-cursor.ts';
import { eventQuery, readFilter } from './event-filter.ts';

/**
 * `GET /v1/events`: what happened in the fleet, behind a cursor, for who may see it. It waits for
 * the first event that was asked for; a cursor behind others comes all the same, so that nothing is
 * looked at twice.
 */
type Asked = {
  readonly filter: EventFilter;
  readonly after: LogPosition | 'now' | null;
  readonly waitMs: number;
};

type Needed = Pick<Ports, 'fleetLog' | 'clock'>;

export const listFleetEvents = defineOperation({
  name: 'listFleetEvents',
  read: (call): Asked => {
    checkQuery(call, [...eventQuery, 'waitSeconds']);
    const waitMs = waitOf(call.query.waitSeconds ?? '0');
    return { filter: readFilter(call), after: readAfter(call.query.after), waitMs };
  },
  run: async ({ filter, after, waitMs }, { caller }, deps: Needed): Promise<FleetEventsAnswer> => {
    const { fleetLog, clock } = deps;
    const begunAtMs = clock.nowMs();
    const looksMax = Math.ceil(waitMs / eventsLookMs);
    let at = after === 'now' ? await fleetLog.newest(begunAtMs) : after;
    for (let looks = 0; looks <= looksMax; looks++) {
      const found = await look(at, filter, caller, deps);
      at = found.at;
      const isLate = looks === looksMax || clock.nowMs() - begunAtMs >= waitMs;
      if (found.items.length > 0 || isLate) return answerOf(found.items, at, begunAtMs, deps);
      await pause(eventsLookMs);
    }
    return answerOf([], at, begunAtMs, deps);
  },
  answer: (body) => ({ status: 200, body }),
});

async function look(
  at: LogPosition | null,
  filter: EventFilter,
  caller: Caller,
  { fleetLog, clock }: Needed,
) {
  const read = await fleetLog.read(at, clock.nowMs());
  if (read === 'gone') throw new ProblemError('cursor-too-old');
  const events = read.map(({ event }) => event);
  const items = events.filter((it) => seesEvent(caller, it) && isAskedFor(filter, it));
  return { items, at: read.at(-1)?.position ?? at };
}

async function answerOf(
  events: readonly FleetEvent[],
  at: LogPosition | null,
  nowMs: number,
  { fleetLog }: Needed,
): Promise<FleetEventsAnswer> {
  return { items: events.map(shownEvent), cursor: cursorOf(at ?? (await fleetLog.newest(nowMs))) };
}
