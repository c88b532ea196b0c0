import type { FleetEvents } from '../../core/contract/resources.ts';
import { followWaitSeconds, pollMsMax, streamOpenMsMax, streamSilenceMsMax } from '../limits.ts';
import type { Terminal } from '../terminal.ts';
import type { Api } from './api.ts';
import { readServerSent } from './server-sent.ts';

export type FleetEvent = FleetEvents['items'][number];

export type EventsAsked = {
  readonly kinds?: string | undefined;
  readonly job?: string | undefined;
  readonly edge?: string | undefined;
  readonly pool?: string | undefined;
};

export type Following = {
  /** A cursor. */
  readonly after: string;
  readonly signal: AbortSignal;
  /** `null` when nobody answers and it shall be asked again. */
  readonly ask: <T>(look: () => Promise<T>) => Promise<T | null>;
};

/**
 * What happens behind a cursor, each event once and in order: as it is streamed, and by requests
 * that wait once no stream is to be had. Whatever breaks off, the cursor goes on.
 */
export async function* followEvents(
  client: Api,
  terminal: Pick<Terminal, 'sleep'>,
  query: EventsAsked,
  { after, signal, ask }: Following,
): AsyncGenerator<FleetEvent> {
  let cursor = after;
  let streams = true;
  while (!signal.aborted) {
    if (streams) {
      const opened = await client.stream('/v1/events/stream', query, cursor, signal);
      streams = false;
      for await (const { id, data } of opened === null ? [] : readServerSent(opened, silence)) {
        streams = true;
        cursor = id ?? cursor;
        if (data !== null) yield JSON.parse(data);
      }
      if (streams) await terminal.sleep(pollMsMax, signal);
      continue;
    }
    const asked = { ...query, after: cursor, waitSeconds: followWaitSeconds };
    const page = await ask(() => client.get<FleetEvents>('/v1/events', asked, signal));
    if (page === null) await terminal.sleep(pollMsMax, signal);
    else {
      yield* page.items;
      cursor = page.cursor;
    }
  }
}

const silence = { first: streamOpenMsMax, later: streamSilenceMsMax };
