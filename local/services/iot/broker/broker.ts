/**
 * The MQTT broker: TLS with client certificates in front, aedes for the protocol, and the rules
 * of AWS IoT in its hooks. aedes speaks MQTT 3.1.1; connections of MQTT 5 are translated before it.
 * Requests that come over the same port are handed on.
 */
import { randomUUID } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer, type TLSSocket } from 'node:tls';
import { Aedes, type Client } from 'aedes';
import type { Message } from '../exchange.ts';
import { keepAliveSecondsMax } from '../limits.ts';
import { whenUnderstood } from '../mqtt5/stream.ts';
import { sessionPersistence } from '../sessions/persistence.ts';
import { admission } from './admission.ts';
import type { BrokerDependencies, BrokerOptions } from './broker-options.ts';
import type { DisconnectReason } from './connection.ts';
import { chooseProtocol, protocolNames } from './protocol-choice.ts';
import { type Connected, type Session, type Sessions, sessionBook } from './sessions.ts';
import { withoutParent } from './topic-filter.ts';
import { type BrokerTraffic, brokerTraffic } from './traffic.ts';

export type Broker = {
  readonly port: number;
  publish(message: Message): void;
  session(clientId: string): Session | undefined;
  subscriptions(clientId: string): { topic: string; qos: number }[];
  /** Closes a connection with the given reason; false when there is none. */
  disconnect(clientId: string, reason: DisconnectReason, will?: 'keep' | 'drop'): Promise<boolean>;
  /** Closes all connections that were made with this certificate. */
  disconnectCertificate(certificateId: string): Promise<void>;
  /** Takes a connection that another door let in. */
  accept(connection: Duplex): void;
  counters(): Record<string, number>;
  close(): Promise<void>;
};

export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const dependencies: BrokerDependencies = {
    ...options,
    publish: (message) => send(aedes, message),
  };
  const sessions = sessionBook(() => aedes);
  const traffic = brokerTraffic(dependencies, sessions);
  const aedes: Aedes = createAedes(dependencies, sessions, traffic);
  await aedes.listen();
  followSessions(aedes, sessions, options);
  const needs = {
    endSession: (clientId: string) => options.persistent.end(clientId),
    reason: (connection: object) =>
      sessions.of((connection as { client?: Client }).client ?? null)?.reason,
  };
  const accept = (socket: Duplex): void =>
    whenUnderstood(socket, needs, (connection) => aedes.handle(connection));
  const server = await listen(options, (socket) =>
    chooseProtocol(socket, { mqtt: accept, http: options.request }),
  );
  return {
    port: server.port,
    publish: dependencies.publish,
    session: (clientId) => sessions.find(clientId)?.session,
    subscriptions: (clientId) => subscriptionsOf(sessions.find(clientId)?.client),
    async disconnect(clientId, reason, will = 'keep') {
      const found = sessions.find(clientId);
      if (found === undefined) return false;
      if (will === 'drop') (found.client as unknown as { will: null }).will = null;
      await end(found, reason);
      return true;
    },
    async disconnectCertificate(certificateId) {
      const affected = sessions
        .all()
        .filter(({ session }) => session.identity.principal === certificateId);
      await Promise.all(affected.map((connected) => end(connected, 'AUTH_ERROR')));
    },
    accept,
    counters: () => ({
      connections: aedes.connectedClients,
      ...options.persistent.counters(),
      ...traffic.counters(),
    }),
    async close() {
      for (const { client } of sessions.all())
        sessions.blame(client, 'SERVER_INITIATED_DISCONNECT');
      await new Promise<void>((resolve) => aedes.close(resolve));
      await server.close();
    },
  };
}

function createAedes(
  dependencies: BrokerDependencies,
  sessions: Sessions,
  traffic: BrokerTraffic,
): Aedes {
  const admit = admission(dependencies, sessions);
  const aedes: Aedes = new Aedes({
    ...traffic.hooks,
    persistence: sessionPersistence(
      dependencies.persistent,
      dependencies.retained,
      traffic.granted,
    ),
    id: randomUUID(),
    concurrency: 1000,
    queueLimit: 1000,
    preConnect: (client, packet, done) => {
      withoutDeduplication(client, aedes.id);
      traffic.watch(client);
      packet.keepalive = keepAliveOf(packet.keepalive ?? 0, dependencies.keepAliveSecondsMin);
      admit.remember(client, packet);
      done(null, true);
    },
    authenticate: (client, _username, _password, done) => admit.authenticate(client, done),
  });
  withoutParents(aedes);
  return aedes;
}

function end({ client, session }: Connected, reason: DisconnectReason): Promise<void> {
  session.reason = reason;
  return new Promise((resolve) => client.close(resolve));
}

type Listening = { readonly port: number; close(): Promise<void> };

async function listen(
  options: BrokerOptions,
  onSocket: (socket: TLSSocket) => void,
): Promise<Listening> {
  const server = createTlsServer(options, onSocket);
  // Also those that have not shaken hands yet: they would keep the server open.
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function createTlsServer({ authority, log }: BrokerOptions, onSocket: (socket: TLSSocket) => void) {
  const server = createServer(
    {
      ca: authority.caPem,
      cert: authority.server.certPem,
      key: authority.server.keyPem,
      requestCert: true,
      rejectUnauthorized: true,
      // Without it each acknowledgement waits for the kernel to give up on more data.
      noDelay: true,
      ALPNProtocols: protocolNames,
    },
    onSocket,
  );
  server.on('tlsClientError', (error) => log(`MQTT: a TLS connection failed: ${error.message}`));
  return server;
}

/** "0 or more than 1200 … the default"; "less than 30 … as though it requested 30 seconds". */
export function keepAliveOf(seconds: number, least: number): number {
  if (seconds === 0 || seconds > keepAliveSecondsMax) return keepAliveSecondsMax;
  return Math.max(seconds, least);
}

/**
 * aedes drops a packet whose number is below one already delivered, which loses a message of
 * QoS 1 that was overtaken by one of QoS 0. "Messages may be duplicated" is allowed; lost is not.
 */
function withoutDeduplication(client: Client, brokerId: string): void {
  const none = Object.defineProperty({}, brokerId, { get: () => 0, set: () => undefined });
  (client as unknown as { duplicates: object }).duplicates = none;
}

type Matcher = {
  on(filter: string, listener: unknown, done?: () => void): unknown;
  removeListener(filter: string, listener: unknown, done?: () => void): unknown;
};

/** The matcher of aedes delivers what is published to `a` to a subscription of `a/#` as well. */
function withoutParents(aedes: Aedes): void {
  const { mq } = aedes as unknown as { mq: Matcher };
  const { on, removeListener } = mq;
  mq.on = (filter, ...rest) => on.call(mq, withoutParent(filter), ...rest);
  mq.removeListener = (filter, ...rest) => removeListener.call(mq, withoutParent(filter), ...rest);
}

function followSessions(aedes: Aedes, sessions: Sessions, options: BrokerOptions): void {
  const { presence, persistent, log } = options;
  aedes.on('client', (client) => {
    persistent.returned(client.id);
    const session = sessions.of(client);
    if (session !== undefined) void presence.connected(session);
  });
  aedes.on('subscribe', (subscriptions, client) => {
    const session = sessions.of(client);
    const topics = subscriptions.filter(({ qos }) => qos < 128).map(({ topic }) => topic);
    if (session !== undefined && topics.length > 0) {
      void presence.changed(session, 'subscribed', topics);
    }
  });
  aedes.on('unsubscribe', (topics, client) => {
    const session = sessions.of(client);
    // aedes unsubscribes a client that leaves; that is no request of the client.
    const left = (client as unknown as { closed: boolean }).closed;
    if (session !== undefined && !left) void presence.changed(session, 'unsubscribed', topics);
  });
  aedes.on('keepaliveTimeout', (client) => sessions.blame(client, 'MQTT_KEEP_ALIVE_TIMEOUT'));
  aedes.on('clientError', (client, error) => {
    // The system gives its errors a code; the others come from what the client sent.
    if ('code' in error) sessions.blame(client, 'CONNECTION_LOST');
    else {
      sessions.blame(client, 'CLIENT_ERROR');
      log(`MQTT: ${client.id}: ${error.message}`);
    }
  });
  aedes.on('clientDisconnect', (client) => {
    const { _disconnected } = client as unknown as { _disconnected: boolean };
    sessions.blame(client, _disconnected ? 'CLIENT_INITIATED_DISCONNECT' : 'CONNECTION_LOST');
    if (!client.clean) persistent.left(client.id);
    const session = sessions.of(client);
    if (session !== undefined) void presence.disconnected(session);
  });
}

/** What the service itself publishes never carries the retain flag. */
function send(aedes: Aedes, { topic, payload, qos }: Message): void {
  aedes.publish(
    { cmd: 'publish', topic, payload: bytesOf(payload), qos, retain: false, dup: false },
    () => undefined,
  );
}

/** The same bytes, not a copy: a persistent session knows its message by them. */
const bytesOf = (payload: Uint8Array): Buffer =>
  Buffer.isBuffer(payload) ? payload : Buffer.from(payload);

function subscriptionsOf(client: Client | undefined) {
  const { subscriptions = {} } = (client ?? {}) as unknown as {
    subscriptions?: Record<string, { qos: number }>;
  };
  return Object.entries(subscriptions).map(([topic, { qos }]) => ({ topic, qos }));
}
