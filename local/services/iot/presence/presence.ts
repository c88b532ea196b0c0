/**
 * Lifecycle events: who connected, who left and why, on `$aws/events/presence/…`, and who
 * subscribed to what, on `$aws/events/subscriptions/…`, with times in milliseconds. "Client IDs
 * that contain # or + do not receive lifecycle events."
 */
import { randomUUID } from 'node:crypto';
import type { Session } from '../broker/broker-sessions.ts';
import type { DisconnectReason, Identity } from '../broker/connection.ts';
import type { Exchange } from '../exchange.ts';
import type { Journal } from '../journal.ts';
import { connectionKnownMs } from '../limits.ts';
import type { PresenceStore } from './presence-store.ts';

type LastConnection = {
  readonly disconnectReason: DisconnectReason;
  readonly disconnectedAtMs: number;
  readonly clean: boolean;
  readonly keepAliveSeconds: number;
  readonly thing?: string;
};

export type Presence = {
  connected(session: Session): Promise<void>;
  disconnected(session: Session): Promise<void>;
  refused(identity: Identity): Promise<void>;
  /** The topic filters that a client subscribed to, or no longer wants. */
  changed(
    session: Session,
    kind: 'subscribed' | 'unsubscribed',
    topics: readonly string[],
  ): Promise<void>;
  /** Ends, in the events, the connections that an earlier process left open. */
  recover(): Promise<void>;
  last(clientId: string): LastConnection | undefined;
  /** Resolves when every event so far is out. */
  settled(): Promise<void>;
};

type Dependencies = {
  readonly journal: Journal;
  readonly store: PresenceStore;
  readonly exchange: Exchange;
  readonly nowMs: () => number;
  readonly log: (line: string) => void;
};

/** Local: clients that left and are still known to GetConnection. */
const lastConnectionsMax = 10_000;

export function presence(dependencies: Dependencies): Presence {
  const { journal, store, nowMs } = dependencies;
  const versions = new WeakMap<Session, Promise<number>>();
  const ended = new Map<string, LastConnection>();
  const underway = new Set<Promise<void>>();

  const track = (event: Promise<void>): Promise<void> => {
    underway.add(event);
    return event.finally(() => underway.delete(event));
  };
  const remember = (clientId: string, last: LastConnection) => {
    ended.delete(clientId);
    ended.set(clientId, last);
    if (ended.size > lastConnectionsMax) ended.delete(ended.keys().next().value!);
  };

  const connected = async (session: Session): Promise<void> => {
    const { clientId, certificateId, ipAddress } = session.identity;
    ended.delete(clientId);
    const version = journal
      .write(() => store.connected(nowMs(), clientId, session.sessionId, certificateId))
      .then((row) => row.version);
    versions.set(session, version);
    const body = { ...common(session, nowMs(), 'connected'), ipAddress };
    await announce(dependencies, 'presence/connected', clientId, {
      ...body,
      versionNumber: await version,
    });
  };
  const disconnected = async (session: Session): Promise<void> => {
    const { clientId } = session.identity;
    const reason = session.reason ?? 'CONNECTION_LOST';
    const timestamp = nowMs();
    const { thing } = session.rights;
    remember(clientId, {
      disconnectReason: reason,
      disconnectedAtMs: timestamp,
      clean: !session.identity.persistent,
      keepAliveSeconds: session.keepAliveSeconds,
      ...(thing === undefined ? {} : { thing }),
    });
    const versionNumber = (await versions.get(session)) ?? 0;
    await journal.write(() => store.disconnected(timestamp, clientId, versionNumber));
    const body = { ...common(session, timestamp, 'disconnected'), ...ending(reason) };
    await announce(dependencies, 'presence/disconnected', clientId, { ...body, versionNumber });
  };

  return {
    connected: (session) => track(connected(session)),
    disconnected: (session) => track(disconnected(session)),
    changed: (session, kind, topics) =>
      track(
        announce(dependencies, `subscriptions/${kind}`, session.identity.clientId, {
          ...common(session, nowMs(), kind),
          topics,
        }),
      ),
    refused: (identity) =>
      announce(dependencies, 'presence/connect_failed', identity.clientId, {
        timestamp: nowMs(),
        eventType: 'connect_failed',
        connectFailureReason: 'AUTHORIZATION_FAILED',
        principalIdentifier: identity.certificateId,
        sessionIdentifier: randomUUID(),
        ipAddress: identity.ipAddress,
      }),
    async recover() {
      for (const row of store.open()) {
        const timestamp = nowMs();
        await journal.write(() => store.disconnected(timestamp, row.clientId, row.version));
        await announce(dependencies, 'presence/disconnected', row.clientId, {
          timestamp,
          eventType: 'disconnected',
          sessionIdentifier: row.session,
          principalIdentifier: row.certificate,
          ...ending('SERVER_ERROR'),
          versionNumber: row.version,
        });
      }
    },
    last(clientId) {
      const last = ended.get(clientId);
      if (last === undefined || nowMs() - last.disconnectedAtMs < connectionKnownMs) return last;
      ended.delete(clientId);
      return undefined;
    },
    settled: () => Promise.allSettled(underway).then(() => undefined),
  };
}

async function announce(
  { exchange, log }: Dependencies,
  kind: string,
  clientId: string,
  body: object,
): Promise<void> {
  if (/[#+]/.test(clientId)) return;
  const payload = Buffer.from(JSON.stringify({ clientId, ...body }));
  const topic = `$aws/events/${kind}/${clientId}`;
  await exchange.announce({ topic, payload, qos: 1 }).catch((error: unknown) => {
    log(`Lifecycle event of ${clientId} was lost: ${String(error)}`);
  });
}

const common = (
  { rights, sessionId, identity }: Session,
  timestamp: number,
  eventType: string,
) => ({
  // "thingName will only be included if the client is connecting using the exclusive thing feature"
  ...(rights.exclusiveThing === undefined ? {} : { thingName: rights.exclusiveThing }),
  timestamp,
  eventType,
  sessionIdentifier: sessionId,
  principalIdentifier: identity.certificateId,
});

const ending = (reason: DisconnectReason) => ({
  clientInitiatedDisconnect: reason === 'CLIENT_INITIATED_DISCONNECT',
  disconnectReason: reason,
});
