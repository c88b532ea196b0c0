/**
 * The MQTT broker: TLS with client certificates in front, aedes for the protocol, and the rules
 * of AWS IoT in its hooks. Speaks MQTT 3.1.1; a client of MQTT 5 is refused in its own protocol.
 */
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createServer, type TLSSocket } from 'node:tls';
import { Aedes, type Client } from 'aedes';
import type { Authority } from './authority.ts';
import { admission } from './broker-admission.ts';
import { brokerTraffic, type Session } from './broker-traffic.ts';
import type { AuthorizerSource, DisconnectReason } from './connection.ts';
import type { Exchange, Message } from './exchange.ts';
import { keepAliveSecondsMax, keepAliveSecondsMin } from './limits.ts';
import type { Presence } from './presence.ts';
import type { RetainedStore } from './retained.ts';

export type Broker = {
  readonly port: number;
  publish(message: Message): void;
  session(clientId: string): Session | undefined;
  subscriptions(clientId: string): { topicFilter: string; qos: number }[];
  /** Closes a connection with the given reason; false when there is none. */
  disconnect(clientId: string, reason: DisconnectReason, will?: 'keep' | 'drop'): Promise<boolean>;
  /** Closes all connections that were made with this certificate. */
  disconnectCertificate(certificateId: string): Promise<void>;
  counters(): Record<string, number>;
  close(): Promise<void>;
};

export type BrokerDependencies = {
  readonly host: string;
  readonly port: number;
  readonly authority: Authority;
  readonly source: AuthorizerSource;
  /** Given late: the exchange publishes through the broker. */
  readonly exchange: () => Exchange;
  readonly presence: () => Presence;
  readonly retained: RetainedStore;
  readonly keepAliveSecondsMin?: number;
  readonly log: (line: string) => void;
};

export async function startBroker(dependencies: BrokerDependencies): Promise<Broker> {
  const sessions = new WeakMap<Client, Session>();
  const admit = admission(dependencies, sessions);
  const traffic = brokerTraffic(dependencies, sessions);
  const aedes: Aedes = new Aedes({
    id: randomUUID(),
    concurrency: 1000,
    queueLimit: 1000,
    preConnect: (client, packet, done) => {
      if (packet.protocolVersion === 5) return refuseMqtt5(dependencies, client, done);
      withoutDeduplication(client, aedes.id);
      traffic.watch(client);
      packet.keepalive = keepAliveOf(packet.keepalive ?? 0, dependencies.keepAliveSecondsMin);
      admit.remember(client, packet);
      done(null, true);
    },
    authenticate: (client, _username, _password, done) => admit.authenticate(aedes, client, done),
    authorizePublish: traffic.authorizePublish,
    authorizeSubscribe: traffic.authorizeSubscribe,
    authorizeForward: traffic.authorizeForward,
    published: (packet, client, done) => traffic.published(aedes, packet, client, done),
  });
  await aedes.listen();
  keepRetainedOurselves(aedes, dependencies.retained);
  followSessions(aedes, sessions, dependencies);
  const server = createTlsServer(dependencies, (socket) => aedes.handle(socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(dependencies.port, dependencies.host, () => resolve());
  });
  const clients = () => (aedes as unknown as { clients: Record<string, Client> }).clients;
  const find = (clientId: string): readonly [Client, Session] | undefined => {
    const client = clients()[clientId];
    const session = client === undefined ? undefined : sessions.get(client);
    return client === undefined || session === undefined ? undefined : [client, session];
  };
  const all = () =>
    Object.keys(clients())
      .map(find)
      .filter((pair) => pair !== undefined);
  const drop = (client: Client, session: Session, reason: DisconnectReason) => {
    session.reason = reason;
    return new Promise<void>((resolve) => client.close(resolve));
  };
  return {
    port: (server.address() as AddressInfo).port,
    publish: (message) => send(aedes, message),
    session: (clientId) => find(clientId)?.[1],
    subscriptions: (clientId) => subscriptionsOf(find(clientId)?.[0]),
    async disconnect(clientId, reason, will = 'keep') {
      const found = find(clientId);
      if (found === undefined) return false;
      if (will === 'drop') (found[0] as unknown as { will: null }).will = null;
      await drop(...found, reason);
      return true;
    },
    async disconnectCertificate(certificateId) {
      const affected = all().filter(
        ([, session]) => session.identity.certificateId === certificateId,
      );
      await Promise.all(affected.map((pair) => drop(...pair, 'AUTH_ERROR')));
    },
    counters: () => ({ connections: aedes.connectedClients, ...traffic.counters() }),
    async close() {
      for (const [, session] of all()) session.reason = 'SERVER_INITIATED_DISCONNECT';
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await new Promise<void>((resolve) => aedes.close(resolve));
      await closed;
    },
  };
}

function createTlsServer(
  { authority, log }: BrokerDependencies,
  onSocket: (socket: TLSSocket) => void,
) {
  const server = createServer(
    {
      ca: authority.caPem,
      cert: authority.server.certPem,
      key: authority.server.keyPem,
      requestCert: true,
      rejectUnauthorized: true,
      // Without it each acknowledgement waits for the kernel to give up on more data.
      noDelay: true,
      // "To use ALPN with port 443, clients send x-amzn-mqtt-ca."
      ALPNProtocols: ['x-amzn-mqtt-ca', 'mqtt'],
    },
    onSocket,
  );
  server.on('tlsClientError', (error) => log(`MQTT: a TLS connection failed: ${error.message}`));
  return server;
}

/** "0 or more than 1200 … the default"; "less than 30 … as though it requested 30 seconds". */
export function keepAliveOf(seconds: number, least = keepAliveSecondsMin): number {
  if (seconds === 0 || seconds > keepAliveSecondsMax) return keepAliveSecondsMax;
  return Math.max(seconds, least);
}

/** CONNACK of MQTT 5: no properties, reason 0x84 "Unsupported Protocol Version". */
const unsupportedVersion5 = Buffer.from([0x20, 0x03, 0x00, 0x84, 0x00]);

function refuseMqtt5(
  { log }: BrokerDependencies,
  client: Client,
  done: (error: Error | null, success: boolean) => void,
): void {
  log('MQTT: a client asked for MQTT 5; only MQTT 3.1.1 is spoken here, so it was refused.');
  client.conn.write(unsupportedVersion5, () =>
    done(new Error('Only MQTT 3.1.1 is spoken here.'), false),
  );
}

/**
 * aedes drops a packet whose number is below one already delivered, which loses a message of
 * QoS 1 that was overtaken by one of QoS 0. "Messages may be duplicated" is allowed; lost is not.
 */
function withoutDeduplication(client: Client, brokerId: string): void {
  const none = Object.defineProperty({}, brokerId, { get: () => 0, set: () => undefined });
  (client as unknown as { duplicates: object }).duplicates = none;
}

/**
 * Retained messages are in our own file already. "To receive a retained message upon
 * subscription, the topic filter must match the retained message topic exactly."
 */
function keepRetainedOurselves(aedes: Aedes, retained: RetainedStore): void {
  const { persistence } = aedes as unknown as {
    persistence: {
      storeRetained: () => Promise<void>;
      createRetainedStreamCombi: (filters: readonly string[]) => Readable;
    };
  };
  persistence.storeRetained = () => Promise.resolve();
  persistence.createRetainedStreamCombi = (filters) =>
    Readable.from(
      filters
        .map((filter) => retained.read(filter))
        .filter((message) => message !== undefined)
        .map((message) => ({ ...message, cmd: 'publish', payload: Buffer.from(message.payload) })),
    );
}

function followSessions(
  aedes: Aedes,
  sessions: WeakMap<Client, Session>,
  { presence, log }: BrokerDependencies,
): void {
  aedes.on('client', (client) => {
    const session = sessions.get(client);
    if (session !== undefined) void presence().connected(session);
  });
  aedes.on('keepaliveTimeout', (client) => {
    const session = sessions.get(client);
    if (session !== undefined) session.reason ??= 'MQTT_KEEP_ALIVE_TIMEOUT';
  });
  aedes.on('clientError', (client, error) => {
    const session = sessions.get(client);
    if (session === undefined) return;
    // The system gives its errors a code; the others come from what the client sent.
    session.reason ??= 'code' in error ? 'CONNECTION_LOST' : 'CLIENT_ERROR';
    if (session.reason !== 'CONNECTION_LOST') log(`MQTT: ${client.id}: ${error.message}`);
  });
  aedes.on('clientDisconnect', (client) => {
    const session = sessions.get(client);
    if (session === undefined) return;
    const { _disconnected } = client as unknown as { _disconnected: boolean };
    session.reason ??= _disconnected ? 'CLIENT_INITIATED_DISCONNECT' : 'CONNECTION_LOST';
    void presence().disconnected(session);
  });
}

/** What the service itself publishes never carries the retain flag. */
function send(aedes: Aedes, { topic, payload, qos }: Message): void {
  aedes.publish(
    { cmd: 'publish', topic, payload: Buffer.from(payload), qos, retain: false, dup: false },
    () => undefined,
  );
}

function subscriptionsOf(client: Client | undefined) {
  const { subscriptions = {} } = (client ?? {}) as unknown as {
    subscriptions?: Record<string, { qos: number }>;
  };
  return Object.entries(subscriptions).map(([topicFilter, { qos }]) => ({ topicFilter, qos }));
}
