/**
 * What lifecycle events say and how they go out, with times in milliseconds. "Client IDs that
 * contain # or + do not receive lifecycle events."
 */

import type { DisconnectReason } from '../broker/connection.ts';
import type { Session } from '../broker/sessions.ts';
import type { Exchange } from '../exchange.ts';

export async function announce(
  { exchange, log }: { readonly exchange: Exchange; log(line: string): void },
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

/** What every event about a connection says. */
export const aboutConnection = (
  { rights, sessionId, identity }: Session,
  timestamp: number,
  eventType: string,
) => ({
  // "thingName will only be included if the client is connecting using the exclusive thing feature"
  ...(rights.exclusiveThing === undefined ? {} : { thingName: rights.exclusiveThing }),
  timestamp,
  eventType,
  sessionIdentifier: sessionId,
  principalIdentifier: identity.principal,
});

/** What the events about its end add. */
export const aboutEnd = (reason: DisconnectReason) => ({
  clientInitiatedDisconnect: reason === 'CLIENT_INITIATED_DISCONNECT',
  disconnectReason: reason,
});
