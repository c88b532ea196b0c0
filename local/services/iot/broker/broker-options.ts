import type { TLSSocket } from 'node:tls';
import type { Authority } from '../control-plane/authority.ts';
import type { Exchange, Message } from '../exchange.ts';
import type { Presence } from '../presence/presence.ts';
import type { PersistentSessions } from '../sessions/persistent-sessions.ts';
import type { AuthorizerSource } from './connection.ts';
import type { RetainedStore } from './retained.ts';

/** What a broker is started with, and what its parts are given. */
export type BrokerOptions = {
  readonly host: string;
  readonly port: number;
  readonly authority: Authority;
  readonly source: AuthorizerSource;
  readonly exchange: Exchange;
  readonly presence: Presence;
  readonly retained: RetainedStore;
  readonly keepAliveSecondsMin: number;
  readonly persistent: PersistentSessions;
  /** A connection that speaks HTTP. */
  readonly request: (socket: TLSSocket) => void;
  readonly log: (line: string) => void;
};

export type BrokerDependencies = BrokerOptions & { readonly publish: (message: Message) => void };
