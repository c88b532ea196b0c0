/**
 * The messages of QoS 1 that wait in persistent sessions, for clients that are away or have not
 * acknowledged them. What is beyond a bound is dropped and counted, never the older messages.
 */
import { topicMatches } from '../broker/topic-filter.ts';
import type { Journal } from '../journal.ts';
import { sessionMessagesMax, sessionMessagesPerSecondMax } from '../limits.ts';
import type { Session, Waiting } from './session.ts';
import type { SessionStore, WaitingMessage } from './store.ts';

/** A row that was written for a session, to be held in memory after the commit. */
export type HeldMessage = WaitingMessage & { readonly clientId: string };

type Delivery = {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly messageId?: number | undefined;
};

export type SessionQueue = {
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
};

export function sessionQueue(
  { journal, store }: { readonly journal: Journal; readonly store: SessionStore },
  sessions: ReadonlyMap<string, Session>,
  quota: MessageQuota,
): SessionQueue {
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

export type MessageQuota = { dropped(): number; admits(session: Session): boolean };

/**
 * "Messages are stored according to account limit. Messages that exceed the limit will be dropped."
 */
export function messageQuota(nowMs: () => number): MessageQuota {
  let windowStartMs = 0;
  let count = 0;
  let dropped = 0;
  return {
    dropped: () => dropped,
    admits({ leftAtMs, waiting }) {
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
