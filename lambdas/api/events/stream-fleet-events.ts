import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { ProblemError } from '../../../core/contract/problem.ts';
import type { Route } from '../../../core/contract/routes.ts';
import {
  type EventFilter,
  endsJob,
  type FleetEvent,
  isAskedFor,
  seesEvent,
  shownEvent,
} from '../../../core/events/fleet-event.ts';
import {
  eventStreamBeatMs,
  eventStreamMsMax,
  eventStreamRetryMs,
  eventsLookMs,
} from '../../../core/events/limits.ts';
import type { Caller } from '../../../core/model/caller.ts';
import type { FleetLog, LoggedEvent, LogPosition } from '../../../core/ports/fleet-log.ts';
import type { Clock } from '../../../core/ports/timers.ts';
import type { Log } from '../../log.ts';
import { type Call, checkQuery } from '../http/call.ts';
import { admit } from '../tokens/admit-caller.ts';
import { bearerOf, type CallerSources } from '../tokens/identify-caller.ts';
import { cursorOf, readAfter } from './event-cursor.ts';
import { eventQuery, eventStreamPath, readFilter } from './event-filter.ts';
import type { EventSink } from './event-sink.ts';
import { answerStreamed, routeAt } from './streamed-answer.ts';

/**
 * Server-sent events: what `GET /v1/events` answers, one event a message, under the cursor behind
 * it, so that who was cut off goes on with `Last-Event-ID`. No gateway stands before this: it finds
 * out who calls by the same token, and refuses whom the route refuses.
 */
export type StreamDeps = {
  readonly fleetLog: FleetLog;
  readonly clock: Clock;
  readonly callers: CallerSources;
  readonly pause: (ms: number) => Promise<void>;
  readonly log: Log;
};

type Asked = {
  readonly bearer: string | null;
  readonly filter: EventFilter;
  readonly after: LogPosition | 'now' | null;
};

export async function streamFleetEvents(
  event: APIGatewayProxyEventV2,
  sink: EventSink,
  deps: StreamDeps,
): Promise<void> {
  await answerStreamed(event, sink, deps, async (call, begin) => {
    const route = routeAt(eventStreamPath, call);
    const bearer = bearerOf(call.headers.authorization);
    const caller = await admit(bearer, route, deps);
    const asked = { bearer, ...readAsked(call) };
    const first = await read(await positionOf(asked.after, deps), deps);
    begin();
    await follow({ ...asked, caller, route }, first, sink, deps);
    return null;
  });
}

function readAsked(call: Call): Omit<Asked, 'bearer'> {
  checkQuery(call, eventQuery);
  const after = call.headers['last-event-id'] || call.query.after;
  return { filter: readFilter(call), after: readAfter(after) };
}

async function positionOf(after: Asked['after'], { fleetLog, clock }: StreamDeps) {
  return after === 'now' ? fleetLog.newest(clock.nowMs()) : after;
}

type Read = { readonly events: readonly LoggedEvent[]; readonly at: LogPosition };

async function read(
  after: LogPosition | null,
  { fleetLog, clock }: Pick<StreamDeps, 'fleetLog' | 'clock'>,
): Promise<Read> {
  const nowMs = clock.nowMs();
  const events = await fleetLog.read(after, nowMs);
  if (events === 'gone') throw new ProblemError('cursor-too-old');
  return { events, at: events.at(-1)?.position ?? after ?? (await fleetLog.newest(nowMs)) };
}

async function follow(
  watcher: Asked & { readonly caller: Caller; readonly route: Route },
  first: Read,
  sink: EventSink,
  deps: StreamDeps,
): Promise<void> {
  const { clock, pause } = deps;
  const endsAtMs = clock.nowMs() + eventStreamMsMax;
  let beatAtMs = clock.nowMs() + eventStreamBeatMs;
  let found = first;
  /** Behind what was written. */
  let at: LogPosition | null = null;
  // What was not taken may still arrive: no place behind it is named after that.
  if (!(await sink.write(`retry: ${eventStreamRetryMs}\n\n`))) return;
  for (let nowMs = clock.nowMs(); nowMs < endsAtMs; nowMs = clock.nowMs()) {
    for (const { event, position } of found.events) {
      if (!seesEvent(watcher.caller, event) || !isAskedFor(watcher.filter, event)) continue;
      if (!(await sink.write(messageOf(event, position)))) return;
      if (watcher.filter.job !== null && endsJob(event)) return;
    }
    if (nowMs >= beatAtMs) {
      await admit(watcher.bearer, watcher.route, deps);
      if (!(await sink.write(markOf(found.at)))) return;
      beatAtMs = nowMs + eventStreamBeatMs;
    }
    at = found.at;
    if (found.events.length === 0) await pause(eventsLookMs);
    found = await read(at, deps);
  }
  if (at !== null) await sink.write(markOf(at));
}

const messageOf = (event: FleetEvent, position: LogPosition): string =>
  `id: ${cursorOf(position)}\ndata: ${JSON.stringify(shownEvent(event))}\n\n`;

/** A message without data is none, but moves the place from which its reader goes on. */
const markOf = (position: LogPosition): string => `: going on\nid: ${cursorOf(position)}\n\n`;
