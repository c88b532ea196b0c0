/**
 * Lifecycle events: who connected, who left and why, on `$aws/events/presence/…`, and who
 * subscribed to what, on `$aws/events/subscriptions/…`.
 */
import { randomUUID } from 'node:crypto';
import type { Identity } from '../broker/connection.ts';
import type { Session } from '../broker/sessions.ts';
import type { Exchange } from '../exchange.ts';
import type { Journal } from '../journal.ts';
import { type LastConnection, lastConnections } from './last-connections.ts';
import { aboutConnection, aboutEnd, announce } from './lifecycle-events.ts';
import type { PresenceStore } from './store.ts';

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

export function presence(dependencies: Dependencies): Presence {
  const { journal, store, nowMs } = dependencies;
  const versions = new WeakMap<Session, Promise<number>>();
  const ended = lastConnections(nowMs);
  const underway = new Set<Promise<void>>();

  const track = (event: Promise<void>): Promise<void> => {
    underway.add(event);
    return event.finally(() => underway.delete(event));
  };

  const connected = async (session: Session): Promise<void> => {
    const { clientId, principal, ipAddress } = session.identity;
    ended.remove(clientId);
    const version = journal
      .write(() => store.connected(nowMs(), clientId, session.sessionId, principal))
      .then((row) => row.version);
    versions.set(session, version);
    const body = { ...aboutConnection(session, nowMs(), 'connected'), ipAddress };
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
    ended.add(clientId, {
      disconnectReason: reason,
      disconnectedAtMs: timestamp,
      clean: !session.identity.persistent,
      keepAliveSeconds: session.keepAliveSeconds,
      ...(thing === undefined ? {} : { thing }),
    });
    const versionNumber = (await versions.get(session)) ?? 0;
    await journal.write(() => store.disconnected(timestamp, clientId, versionNumber));
    const body = { ...aboutConnection(session, timestamp, 'disconnected'), ...aboutEnd(reason) };
    await announce(dependencies, 'presence/disconnected', clientId, { ...body, versionNumber });
  };

  return {
    connected: (session) => track(connected(session)),
    disconnected: (session) => track(disconnected(session)),
    changed: (session, kind, topics) =>
      track(
        announce(dependencies, `subscriptions/${kind}`, session.identity.clientId, {
          ...aboutConnection(session, nowMs(), kind),
          topics,
        }),
      ),
    refused: (identity) =>
      announce(dependencies, 'presence/connect_failed', identity.clientId, {
        timestamp: nowMs(),
        eventType: 'connect_failed',
        connectFailureReason: 'AUTHORIZATION_FAILED',
        principalIdentifier: identity.principal,
        sessionIdentifier: randomUUID(),
        ipAddress: identity.ipAddress,
      }),
    recover: () => recover(dependencies),
    last: (clientId) => ended.find(clientId),
    settled: () => Promise.allSettled(underway).then(() => undefined),
  };
}

/** An earlier process that was killed could not say that its connections ended. */
async function recover(dependencies: Dependencies): Promise<void> {
  const { journal, store, nowMs } = dependencies;
  for (const row of store.open()) {
    const timestamp = nowMs();
    await journal.write(() => store.disconnected(timestamp, row.clientId, row.version));
    await announce(dependencies, 'presence/disconnected', row.clientId, {
      timestamp,
      eventType: 'disconnected',
      sessionIdentifier: row.session,
      principalIdentifier: row.certificate,
      ...aboutEnd('SERVER_ERROR'),
      versionNumber: row.version,
    });
  }
}
