/** Sessions of connected clients, found by the client object or by its id. */
import type { Aedes, Client } from 'aedes';
import type { InFlight } from '../exchange.ts';
import type { Authorizer, DisconnectReason, Identity } from './connection.ts';

export type Session = {
  readonly identity: Identity;
  readonly rights: Authorizer;
  readonly sessionId: string;
  readonly keepAliveSeconds: number;
  readonly connectedAtMs: number;
  readonly isOperator: boolean;
  readonly inFlight: InFlight;
  readonly recentPublishes: { windowStartMs: number; count: number };
  readonly sourcePort: number;
  readonly targetIp: string;
  /** Why the connection ends; the first one to say so is right. */
  reason?: DisconnectReason;
};

export type Connected = { readonly client: Client; readonly session: Session };

export type Sessions = {
  open(client: Client, session: Session): void;
  of(client: Client | null): Session | undefined;
  /** Notes why the connection is about to end. */
  blame(client: Client | null, reason: DisconnectReason): void;
  find(clientId: string): Connected | undefined;
  all(): Connected[];
};

/** A client that goes away takes its session with it: nothing here keeps either alive. */
export function sessionBook(broker: () => Aedes): Sessions {
  const sessions = new WeakMap<Client, Session>();
  const clients = () => (broker() as unknown as { clients: Record<string, Client> }).clients;
  const find = (clientId: string): Connected | undefined => {
    const client = clients()[clientId];
    const session = client === undefined ? undefined : sessions.get(client);
    return client === undefined || session === undefined ? undefined : { client, session };
  };
  const of = (client: Client | null) => (client === null ? undefined : sessions.get(client));
  return {
    open: (client, session) => void sessions.set(client, session),
    of,
    blame(client, reason) {
      const session = of(client);
      if (session !== undefined) session.reason ??= reason;
    },
    find,
    all: () =>
      Object.keys(clients())
        .map(find)
        .filter((connected) => connected !== undefined),
  };
}
