import type { FleetEvents } from '../../core/contract/resources.ts';
import { liveAfterMs, liveLookMs } from '../limits.ts';
import type { Terminal } from '../terminal.ts';
import type { Api } from './api.ts';
import { type EventsAsked, followEvents } from './follow-events.ts';

/**
 * The pause of somebody who looks again and again. What lasts is followed by events: then a pause
 * ends when something has happened, and is long when nothing has. Where there are none, because the
 * token may not have them or nothing lets them through, it stays with pauses. What counts is what
 * is looked at; an event that is missed costs a pause.
 */
export type Rest = {
  /** For so long, or until something has happened; at most for the second. */
  rest(ms: number, msMax?: number): Promise<void>;
  close(): void;
};

export function liveRest(client: Api, terminal: Terminal, query: EventsAsked): Rest {
  const startMs = terminal.nowMs();
  const end = new AbortController();
  let state: 'waits' | 'opens' | 'live' | 'none' = 'waits';
  let hasRung = false;
  let wake = new AbortController();
  const ring = (): void => {
    hasRung = true;
    wake.abort();
  };
  const signal = AbortSignal.any([end.signal, terminal.interrupted]);
  const listen = async (): Promise<void> => {
    const now = { ...query, after: 'now' };
    const { cursor } = await client.get<FleetEvents>('/v1/events', now, signal);
    state = 'live';
    // What happened before this cursor is seen by the next look, which is now.
    ring();
    const following = { after: cursor, signal, ask: <T>(look: () => Promise<T>) => look() };
    for await (const _ of followEvents(client, terminal, query, following)) ring();
  };
  return {
    async rest(ms, msMax = liveLookMs) {
      if (state === 'waits' && terminal.nowMs() - startMs >= liveAfterMs) {
        state = 'opens';
        void listen()
          .catch(() => undefined)
          .finally(() => {
            if (state === 'live') ring();
            state = 'none';
          });
      }
      const isLive = state === 'live';
      const longestMs = Math.max(ms, Math.min(liveLookMs, msMax));
      if (!hasRung) await terminal.sleep(isLive ? longestMs : ms, wake.signal);
      hasRung = false;
      wake = new AbortController();
    },
    close: () => end.abort(),
  };
}
