/**
 * What aedes asks of a store, answered from our own file: persistent sessions, and retained
 * messages, which "the topic filter in the subscription request must match exactly". aedes does
 * not put messages into queues here: that happened in the transaction that took them in.
 */
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client, PublishPacket } from 'aedes';
import type { RetainedStore } from '../broker/retained.ts';
import { storedMessagesPerSecondMax } from '../limits.ts';
import type { PersistentSessions } from './persistent-sessions.ts';
import type { WaitingMessage } from './store.ts';

type Identified = { readonly id: string };
type Subscribed = { readonly topic: string; readonly qos: number };
type Delivered = { readonly messageId?: number; readonly topic: string; readonly payload: Buffer };

/**
 * Stands for a session that has no subscriptions: aedes reports a session to its client only when
 * there are some to restore. It is never granted.
 */
export const emptySession: Subscribed = { topic: '$SYS/session', qos: 0 };

export function sessionPersistence(
  sessions: PersistentSessions,
  retained: RetainedStore,
  granted: (client: Identified, filter: string) => boolean,
) {
  return {
    ...wills(),
    async setup(): Promise<void> {},
    async storeRetained(): Promise<void> {},
    createRetainedStreamCombi: (filters: readonly string[]) =>
      Readable.from(
        filters
          .map((filter) => retained.read(filter))
          .filter((message) => message !== undefined)
          .map((message) => ({ ...message, ...published(message) })),
      ),
    async subscriptionsByClient({ id }: Identified): Promise<readonly Subscribed[]> {
      const known = sessions.has(id);
      await sessions.open(id);
      const filters = sessions.filters(id);
      return known && filters.length === 0 ? [emptySession] : filters;
    },
    cleanSubscriptions: ({ id }: Identified) => sessions.end(id),
    // aedes offers the whole packet, also what was refused in it.
    addSubscriptions: (client: Identified, filters: readonly Subscribed[]) =>
      sessions.subscribe(
        client.id,
        filters.filter(({ topic }) => granted(client, topic)),
      ),
    removeSubscriptions: ({ id }: Identified, filters: readonly string[]) =>
      sessions.unsubscribe(id, filters),
    subscriptionsByTopic: async (): Promise<readonly Subscribed[]> => [],
    async outgoingEnqueueCombi(): Promise<void> {},
    outgoingStream: (client: Client) => Readable.from(paced(sessions, client)),
    async outgoingUpdate({ id }: Identified, packet: Delivered): Promise<void> {
      sessions.sent(id, packet);
    },
    outgoingClearMessageId: async ({ id }: Identified, packet: Partial<Delivered>) =>
      sessions.settle(id, packet),
  };
}

const published = ({ payload }: { payload: Uint8Array }) => ({
  cmd: 'publish',
  payload: Buffer.isBuffer(payload) ? payload : Buffer.from(payload),
});

/** "all stored messages are sent to the client at a maximum rate of 10 messages per second" */
async function* paced(sessions: PersistentSessions, client: Client) {
  const stored: readonly WaitingMessage[] = client.clean ? [] : sessions.unsent(client.id);
  for (const [at, message] of stored.entries()) {
    if (at > 0 && at % storedMessagesPerSecondMax === 0) await pause(1000, null, { ref: false });
    if ((client as unknown as { closed: boolean }).closed) return;
    // Since the list was made it may have gone out as a live message.
    if (!sessions.unsent(client.id).includes(message)) continue;
    yield { ...published(message), topic: message.topic, qos: 1, retain: false };
  }
}

/** Wills live as long as their connections: a broker that dies publishes none. */
function wills() {
  const waiting = new Map<string, PublishPacket>();
  return {
    async putWill({ id }: Identified, will: PublishPacket): Promise<void> {
      waiting.set(id, will);
    },
    async delWill({ id }: Identified): Promise<PublishPacket | undefined> {
      const will = waiting.get(id);
      waiting.delete(id);
      return will;
    },
    streamWill: () => Readable.from([]),
  };
}
