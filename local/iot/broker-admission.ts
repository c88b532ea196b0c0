/**
 * Who may connect: a certificate that this service issued and that is ACTIVE, a client id that the
 * policies allow, and nobody twice: "After the second client connects, the broker closes the
 * existing connection."
 */
import { randomUUID } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { Aedes, AuthenticateError, Client, ConnectPacket } from 'aedes';
import type { BrokerDependencies } from './broker.ts';
import type { Session } from './broker-traffic.ts';
import { authorizer, type Identity } from './connection.ts';
import { clientIdBytesMax } from './limits.ts';
import { parsePolicy } from './policy.ts';
import { inFlight } from './shadow-throttle.ts';

export type Admission = {
  remember(client: Client, packet: ConnectPacket): void;
  authenticate(
    aedes: Aedes,
    client: Client,
    done: (error: AuthenticateError | null, success: boolean | null) => void,
  ): void;
};

const operatorPolicies = [
  parsePolicy('operator', {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 'iot:*', Resource: '*' }],
  }),
];

export function admission(
  dependencies: BrokerDependencies,
  sessions: WeakMap<Client, Session>,
): Admission {
  const { authority, source, presence, log } = dependencies;
  const packets = new WeakMap<Client, ConnectPacket>();

  const identityOf = (client: Client, packet: ConnectPacket): Identity => {
    const socket = client.conn as TLSSocket;
    const certificate = socket.getPeerCertificate();
    const topicArn = `arn:aws:iot:${source.region}:${source.accountId}:topic/`;
    return {
      clientId: client.id,
      certificateId: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
      commonName: String(certificate.subject?.CN ?? ''),
      ipAddress: socket.remoteAddress?.replace(/^::ffff:/, '') ?? '',
      persistent: packet.clean === false,
      ...(packet.will === undefined ? {} : { willTopic: `${topicArn}${packet.will.topic}` }),
    };
  };

  const refusal = (identity: Identity, packet: ConnectPacket): string | Session => {
    const isOperator = identity.certificateId === authority.operator.certificateId;
    if (!isOperator && source.registry.certificate(identity.certificateId)?.status !== 'ACTIVE') {
      return 'its certificate is not registered here or not active';
    }
    if (packet.clientId === '' || Buffer.byteLength(packet.clientId) > clientIdBytesMax) {
      return `a client id has 1 to ${clientIdBytesMax} bytes`;
    }
    // "The client ID can't start with a dollar sign ($)."
    if (packet.clientId.startsWith('$')) return 'a client id cannot start with $';
    const rights = authorizer(source, identity, isOperator ? operatorPolicies : undefined);
    if (!rights.allows('iot:Connect', identity.clientId)) {
      return 'no policy allows iot:Connect with this client id and certificate';
    }
    // "connect_failed … or when a last will is configured and the client is not authorized to
    // publish to that last will topic."
    if (packet.will !== undefined && !rights.allows('iot:Publish', packet.will.topic)) {
      return 'no policy allows iot:Publish to the topic of its will';
    }
    return {
      identity,
      rights,
      sessionId: randomUUID(),
      keepAliveSeconds: packet.keepalive ?? 0,
      connectedAtMs: Date.now(),
      isOperator,
      inFlight: inFlight(),
      recentPublishes: { windowStartMs: 0, count: 0 },
      sourcePort: 0,
    };
  };

  return {
    remember(client, packet) {
      packets.set(client, packet);
    },
    authenticate(aedes, client, done) {
      const packet = packets.get(client);
      if (packet === undefined) return done(notAuthorized('no CONNECT was seen'), false);
      packets.delete(client);
      const identity = identityOf(client, packet);
      const result = refusal(identity, packet);
      if (typeof result === 'string') {
        log(`MQTT: ${identity.clientId || 'a client'} may not connect: ${result}.`);
        void presence().refused(identity);
        return done(notAuthorized(result), false);
      }
      const { clients } = aedes as unknown as { clients: Record<string, Client> };
      const existing = clients[client.id];
      const replaced = existing === undefined ? undefined : sessions.get(existing);
      if (replaced !== undefined) replaced.reason ??= 'DUPLICATE_CLIENTID';
      sessions.set(client, { ...result, sourcePort: (client.conn as TLSSocket).remotePort ?? 0 });
      done(null, true);
    },
  };
}

const notAuthorized = (message: string): AuthenticateError =>
  Object.assign(new Error(message), { returnCode: 5 });
