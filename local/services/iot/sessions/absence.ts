/**
 * How long persistent sessions wait for their clients: "the persistent session expiration timer
 * starts when the message broker detects that a client has disconnected". Of too many the one that
 * was left first ends.
 */
import { sessionsAwayMax } from '../limits.ts';
import type { Session } from './session.ts';

export type SessionAbsence = {
  /** From here on the session has so long. */
  begins(session: Session, leftAtMs: number): void;
  ends(session: Session): void;
  count(): number;
};

export function sessionAbsence(
  sessions: ReadonlyMap<string, Session>,
  expiryMs: number,
  nowMs: () => number,
  expire: (clientId: string) => Promise<void>,
): SessionAbsence {
  const away = () => [...sessions.values()].filter(({ leftAtMs }) => leftAtMs !== undefined);
  return {
    begins(session, leftAtMs) {
      clearTimeout(session.timer);
      session.leftAtMs = leftAtMs;
      const restMs = Math.max(0, leftAtMs + expiryMs - nowMs());
      session.timer = setTimeout(() => void expire(session.clientId), restMs);
      session.timer.unref();
      const waiting = away();
      if (waiting.length <= sessionsAwayMax) return;
      const oldest = waiting.reduce((first, each) =>
        each.leftAtMs! < first.leftAtMs! ? each : first,
      );
      void expire(oldest.clientId);
    },
    ends(session) {
      clearTimeout(session.timer);
      session.leftAtMs = undefined;
    },
    count: () => away().length,
  };
}
