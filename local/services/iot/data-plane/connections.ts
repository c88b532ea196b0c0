/**
 * The calls of the data plane about connections: what is known of a client, what it subscribed to,
 * and ending its connection or its session. "Connection information is available for 30 minutes
 * after disconnection"; subscriptions as long as there is a session.
 */

import type { Found } from '../../../engine/gateway/routes.ts';
import type { Broker } from '../broker/broker.ts';
import { invalid, notFound } from '../http/http-answer.ts';
import type { JsonObject } from '../json.ts';
import { subscriptionsPageDefault, subscriptionsPageMax } from '../limits.ts';
import type { Presence } from '../presence/presence.ts';
import type { PersistentSessions } from '../sessions/persistent-sessions.ts';

type Dependencies = {
  readonly broker: Broker;
  readonly presence: Presence;
  readonly sessions: PersistentSessions;
  readonly sessionExpirySeconds: number;
};

export function connectionOperations({
  broker,
  presence,
  sessions,
  sessionExpirySeconds,
}: Dependencies) {
  const described = (clean: boolean, keepAliveSeconds: number, thing: string | undefined) => ({
    cleanSession: clean,
    keepAliveDuration: keepAliveSeconds,
    sessionExpiry: clean ? 0 : sessionExpirySeconds,
    ...(thing === undefined ? {} : { thingName: thing }),
  });
  return {
    GetConnection(found: Found): JsonObject {
      const clientId = clientOf(found);
      const session = broker.session(clientId);
      if (session !== undefined) {
        const { identity, rights, keepAliveSeconds } = session;
        return {
          clientId,
          connected: true,
          ...described(!identity.persistent, keepAliveSeconds, rights.thing),
          connectedSince: session.connectedAtMs,
          ...(isTrue(found, 'includeSocketInformation')
            ? {
                sourceIp: identity.ipAddress,
                sourcePort: session.sourcePort,
                targetIp: session.targetIp,
                targetPort: broker.port,
              }
            : {}),
        };
      }
      const last = presence.last(clientId);
      if (last === undefined) throw absent();
      return {
        clientId,
        connected: false,
        ...described(last.clean, last.keepAliveSeconds, last.thing),
        disconnectedSince: last.disconnectedAtMs,
        disconnectReason: last.disconnectReason,
      };
    },
    ListSubscriptions(found: Found): JsonObject {
      const clientId = clientOf(found);
      const connected = broker.session(clientId) !== undefined;
      if (!connected && !sessions.has(clientId)) throw absent();
      const all = connected ? broker.subscriptions(clientId) : sessions.filters(clientId);
      const size = pageSize(found.query.get('maxResults'));
      const first = Number(found.query.get('nextToken') ?? 0) || 0;
      const next = first + size;
      return {
        subscriptions: all
          .slice(first, next)
          .map(({ topic, qos }) => ({ topicFilter: topic, qos })),
        ...(next < all.length ? { nextToken: String(next) } : {}),
      };
    },
    async DeleteConnection(found: Found): Promise<JsonObject> {
      const clientId = clientOf(found);
      const will = isTrue(found, 'preventWillMessage') ? 'drop' : 'keep';
      const known = sessions.has(clientId);
      const closed = await broker.disconnect(clientId, 'API_INITIATED_DISCONNECT', will);
      // "not currently connected, and doesn't have a persistent session"
      if (!closed && !known) throw absent();
      if (isTrue(found, 'cleanSession')) await sessions.end(clientId);
      return {};
    },
  };
}

const absent = () => notFound('The client is not connected and has no persistent session.');

/** "The client ID can't start with a dollar sign ($)." */
function clientOf({ path }: Found): string {
  const client = path['client'] ?? '';
  if (client === '' || client.startsWith('$')) throw invalid('The client id is not valid.');
  return client;
}

/** The documentation writes both `true` and `TRUE`. */
const isTrue = ({ query }: Found, name: string): boolean =>
  query.get(name)?.toLowerCase() === 'true';

function pageSize(text: string | null): number {
  if (text === null) return subscriptionsPageDefault;
  const size = Number(text);
  if (!Number.isInteger(size) || size < 1 || size > subscriptionsPageMax) {
    throw invalid(`maxResults is 1 to ${subscriptionsPageMax}.`);
  }
  return size;
}
