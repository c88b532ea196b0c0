/**
 * Sessions of clients that connect with cleanSession 0: their subscriptions and the messages of
 * QoS 1 that they have not acknowledged. A session is connected or away; away it ends after its
 * time. All of it is in the file before anybody hears of it, so it outlives a restart and kill -9.
 */
import type { Journal } from '../journal.ts';
import { sessionAbsence } from './absence.ts';
import { messageQuota, type SessionQueue, sessionQueue } from './queue.ts';
import type { Session } from './session.ts';
import type { SessionStore } from './store.ts';

export type PersistentSessions = SessionQueue & {
  has(clientId: string): boolean;
  /** The client connects: its session goes on, or one begins. */
  open(clientId: string): Promise<void>;
  /** The session is over: a clean connection, a call of the API, or its time. */
  end(clientId: string): Promise<void>;
  returned(clientId: string): void;
  left(clientId: string): void;
  subscribe(clientId: string, filters: readonly { topic: string; qos: number }[]): Promise<void>;
  unsubscribe(clientId: string, filters: readonly string[]): Promise<void>;
  filters(clientId: string): { topic: string; qos: number }[];
  counters(): { sessionsWaiting: number; sessionMessagesDropped: number };
  close(): void;
};

type Dependencies = {
  readonly journal: Journal;
  readonly store: SessionStore;
  readonly expiryMs: number;
  readonly nowMs: () => number;
};

export function persistentSessions(dependencies: Dependencies): PersistentSessions {
  const { journal, store, expiryMs, nowMs } = dependencies;
  const sessions = new Map<string, Session>();
  const quota = messageQuota(nowMs);
  const end = async (clientId: string): Promise<void> => {
    const session = sessions.get(clientId);
    if (session === undefined) return;
    clearTimeout(session.timer);
    sessions.delete(clientId);
    await journal.write(() => store.remove(clientId));
  };
  const absence = sessionAbsence(sessions, expiryMs, nowMs, end);
  for (const { clientId, leftAtMs, filters, messages } of store.all()) {
    const session = { clientId, filters: new Map(filters), waiting: [...messages], leftAtMs };
    sessions.set(clientId, session);
    // Connected when the process died: it is now that the broker knows of it.
    absence.begins(session, leftAtMs ?? nowMs());
    if (leftAtMs === undefined) void journal.write(() => store.put(clientId, nowMs()));
  }
  return {
    ...sessionQueue(dependencies, sessions, quota),
    ...subscriptions(dependencies, sessions),
    has: (clientId) => sessions.has(clientId),
    end,
    async open(clientId) {
      const session: Session = sessions.get(clientId) ?? {
        clientId,
        filters: new Map(),
        waiting: [],
        leftAtMs: undefined,
      };
      // "Messages delivered more than once might be sent with a different packet ID."
      for (const message of session.waiting) message.messageId = undefined;
      sessions.set(clientId, session);
      await journal.write(() => store.put(clientId, undefined));
    },
    returned(clientId) {
      const session = sessions.get(clientId);
      if (session !== undefined) absence.ends(session);
    },
    left(clientId) {
      const session = sessions.get(clientId);
      if (session === undefined) return;
      const leftAtMs = nowMs();
      absence.begins(session, leftAtMs);
      void journal.write(() => store.put(clientId, leftAtMs)).catch(() => undefined);
    },
    counters: () => ({
      sessionsWaiting: absence.count(),
      sessionMessagesDropped: quota.dropped(),
    }),
    close() {
      for (const { timer } of sessions.values()) clearTimeout(timer);
    },
  };
}

function subscriptions(
  { journal, store }: Dependencies,
  sessions: ReadonlyMap<string, Session>,
): Pick<PersistentSessions, 'subscribe' | 'unsubscribe' | 'filters'> {
  return {
    async subscribe(clientId, filters) {
      const session = sessions.get(clientId);
      if (session === undefined) return;
      for (const { topic, qos } of filters) session.filters.set(topic, qos);
      await journal.write(() => {
        for (const { topic, qos } of filters) store.putFilter(clientId, topic, qos);
      });
    },
    async unsubscribe(clientId, filters) {
      const session = sessions.get(clientId);
      if (session === undefined) return;
      for (const filter of filters) session.filters.delete(filter);
      await journal.write(() => {
        for (const filter of filters) store.removeFilter(clientId, filter);
      });
    },
    filters: (clientId) =>
      [...(sessions.get(clientId)?.filters ?? [])].map(([topic, qos]) => ({ topic, qos })),
  };
}
