/**
 * Sessions of clients that connect with cleanSession 0: their subscriptions and the messages of
 * QoS 1 that they have not acknowledged. A session is connected or away; away it ends after its
 * time, "the persistent session expiration timer starts when the message broker detects that a
 * client has disconnected". All of it is in the file before anybody hears of it, so it outlives a
 * restart and kill -9. What is beyond a bound is dropped and counted, never the older messages.
 */

import { topicMatches } from '../broker/topic-filter.ts';
import type { Journal } from '../journal.ts';
import { sessionMessagesMax, sessionMessagesPerSecondMax, sessionsAwayMax } from '../limits.ts';
import type { SessionStore, WaitingMessage } from './session-store.ts';

/** A message that waits; with a number while it is on its way to the client. */
type Waiting = WaitingMessage & { messageId?: number | undefined };

type Session = {
  readonly clientId: string;
  readonly filters: Map<string, number>;
  waiting: Waiting[];
  /** Set while the client is away. */
  leftAtMs: number | undefined;
  timer?: NodeJS.Timeout;
};

/** A row that was written for a session, to be held in memory after the commit. */
export type HeldMessage = WaitingMessage & { readonly clientId: string };

type Delivery = {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly messageId?: number | undefined;
};

export type PersistentSessions = {
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
  /** Inside the transaction that acknowledges the message. */
  keep(message: { topic: string; payload: Uint8Array; qos: 0 | 1 }): HeldMessage[];
  /** After its commit. */
  hold(rows: readonly HeldMessage[]): void;
  /** What the client has not been sent on this connection. */
  unsent(clientId: string): readonly WaitingMessage[];
  /** Notes the packet identifier under which a waiting message goes to the client. */
  sent(clientId: string, delivery: Delivery): void;
  /** Acknowledged, or not to be delivered at all. */
  settle(clientId: string, delivery: Partial<Delivery>): WaitingMessage | undefined;
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
  const { journal, store, nowMs } = dependencies;
  const sessions = new Map<string, Session>();
  const quota = messageQuota(nowMs);
  const away = () => [...sessions.values()].filter(({ leftAtMs }) => leftAtMs !== undefined);

  const end = async (clientId: string): Promise<void> => {
    const session = sessions.get(clientId);
    if (session === undefined) return;
    clearTimeout(session.timer);
    sessions.delete(clientId);
    await journal.write(() => store.remove(clientId));
  };
  /** From here on the session has so long. */
  const startTimer = (session: Session, leftAtMs: number): void => {
    clearTimeout(session.timer);
    session.leftAtMs = leftAtMs;
    const restMs = Math.max(0, leftAtMs + dependencies.expiryMs - nowMs());
    session.timer = setTimeout(() => void end(session.clientId), restMs);
    session.timer.unref();
    const waiting = away();
    if (waiting.length <= sessionsAwayMax) return;
    const oldest = waiting.reduce((first, each) =>
      each.leftAtMs! < first.leftAtMs! ? each : first,
    );
    void end(oldest.clientId);
  };
  const write = (work: () => void): Promise<void> => journal.write(work);

  for (const { clientId, leftAtMs, filters, messages } of store.all()) {
    const session = { clientId, filters: new Map(filters), waiting: [...messages], leftAtMs };
    sessions.set(clientId, session);
    // Connected when the process died: it is now that the broker knows of it.
    startTimer(session, leftAtMs ?? nowMs());
    if (leftAtMs === undefined) void write(() => store.put(clientId, nowMs()));
  }

  return {
    ...queue(dependencies, sessions, quota),
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
      await write(() => store.put(clientId, undefined));
    },
    returned(clientId) {
      const session = sessions.get(clientId);
      if (session === undefined) return;
      clearTimeout(session.timer);
      session.leftAtMs = undefined;
    },
    left(clientId) {
      const session = sessions.get(clientId);
      if (session === undefined) return;
      const leftAtMs = nowMs();
      startTimer(session, leftAtMs);
      void write(() => store.put(clientId, leftAtMs)).catch(() => undefined);
    },
    async subscribe(clientId, filters) {
      const session = sessions.get(clientId);
      if (session === undefined) return;
      for (const { topic, qos } of filters) session.filters.set(topic, qos);
      await write(() => {
        for (const { topic, qos } of filters) store.putFilter(clientId, topic, qos);
      });
    },
    async unsubscribe(clientId, filters) {
      const session = sessions.get(clientId);
      if (session === undefined) return;
      for (const filter of filters) session.filters.delete(filter);
      await write(() => {
        for (const filter of filters) store.removeFilter(clientId, filter);
      });
    },
    filters: (clientId) =>
      [...(sessions.get(clientId)?.filters ?? [])].map(([topic, qos]) => ({ topic, qos })),
    counters: () => ({ sessionsWaiting: away().length, sessionMessagesDropped: quota.dropped() }),
    close() {
      for (const { timer } of sessions.values()) clearTimeout(timer);
    },
  };
}

type Queue = Pick<PersistentSessions, 'keep' | 'hold' | 'unsent' | 'sent' | 'settle'>;

function queue(
  { journal, store }: Dependencies,
  sessions: ReadonlyMap<string, Session>,
  quota: ReturnType<typeof messageQuota>,
): Queue {
  const waitingOf = (clientId: string): readonly Waiting[] => sessions.get(clientId)?.waiting ?? [];
  return {
    keep({ topic, payload, qos }) {
      if (qos === 0) return [];
      return [...sessions.values()]
        .filter((session) => wants(session, topic) && quota.admits(session))
        .map(({ clientId }) => ({
          clientId,
          id: store.addMessage(clientId, topic, payload),
          topic,
          payload,
        }));
    },
    hold(rows) {
      for (const { clientId, ...message } of rows) sessions.get(clientId)?.waiting.push(message);
    },
    unsent: (clientId) => waitingOf(clientId).filter(({ messageId }) => messageId === undefined),
    sent(clientId, delivery) {
      const message = unnumbered(waitingOf(clientId), delivery);
      if (message !== undefined) message.messageId = delivery.messageId;
    },
    settle(clientId, delivery) {
      const session = sessions.get(clientId);
      if (session === undefined) return undefined;
      const found =
        delivery.messageId === undefined
          ? unnumbered(session.waiting, delivery)
          : session.waiting.find(({ messageId }) => messageId === delivery.messageId);
      if (found === undefined) return undefined;
      session.waiting = session.waiting.filter((each) => each !== found);
      // Lost with a crash it is sent once more, which QoS 1 allows.
      void journal.write(() => store.removeMessage(found.id)).catch(() => undefined);
      return found;
    },
  };
}

/** "published with a QOS = 1 and subscribed to with a QOS = 1" */
const wants = ({ filters }: Session, topic: string): boolean =>
  [...filters].some(([filter, qos]) => qos > 0 && topicMatches(filter, topic));

/** The very message when its bytes are the same object; otherwise the youngest one like it. */
function unnumbered(
  waiting: readonly Waiting[],
  { topic, payload }: Partial<Delivery>,
): Waiting | undefined {
  if (payload === undefined) return undefined;
  const open = waiting.filter((each) => each.messageId === undefined && each.topic === topic);
  return (
    open.find((each) => each.payload === payload) ??
    open.findLast((each) => Buffer.compare(each.payload, payload) === 0)
  );
}

/**
 * "Messages are stored according to account limit. Messages that exceed the limit will be dropped."
 */
function messageQuota(nowMs: () => number) {
  let windowStartMs = 0;
  let count = 0;
  let dropped = 0;
  return {
    dropped: () => dropped,
    admits({ leftAtMs, waiting }: Session): boolean {
      const atMs = nowMs();
      if (atMs - windowStartMs >= 1000) [windowStartMs, count] = [atMs, 0];
      // The rate is about what is stored for clients that are away.
      const full =
        waiting.length >= sessionMessagesMax ||
        (leftAtMs !== undefined && ++count > sessionMessagesPerSecondMax);
      if (full) dropped++;
      return !full;
    },
  };
}
