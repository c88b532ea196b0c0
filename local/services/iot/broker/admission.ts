/**
 * Who may connect: a certificate that this service issued and that is ACTIVE, a client id that the
 * policies allow, and nobody twice: "After the second client connects, the broker closes the
 * existing connection."
 */
import { randomUUID } from 'node:crypto';
import type { AuthenticateError, Client, ConnectPacket } from 'aedes';
import { clientIdBytesMax, payloadBytesMax } from '../limits.ts';
import { parsePolicy } from '../policy/policy.ts';
import { inFlight } from '../shadow/throttle.ts';
import type { BrokerDependencies } from './broker-options.ts';
import { authorizer, type Identity } from './connection.ts';
import { peerOf } from './peer.ts';
import type { Session, Sessions } from './sessions.ts';
import { topicProblem } from './traffic.ts';

type Admission = {
  remember(client: Client, packet: ConnectPacket): void;
  authenticate(
    client: Client,
    done: (error: AuthenticateError | null, success: boolean | null) => void,
  ): void;
};

export const operatorPolicies = [
  parsePolicy('operator', {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 'iot:*', Resource: '*' }],
  }),
];

export function admission(dependencies: BrokerDependencies, sessions: Sessions): Admission {
  const packets = new WeakMap<Client, ConnectPacket>();
  return {
    remember(client, packet) {
      packets.set(client, packet);
    },
    authenticate(client, done) {
      const packet = packets.get(client);
      if (packet === undefined) return done(notAuthorized('no CONNECT was seen'), false);
      packets.delete(client);
      const identity = identityOf(dependencies, client, packet);
      const admitted = admit(dependencies, client, identity, packet);
      if (typeof admitted === 'string') {
        dependencies.log(`MQTT: ${identity.clientId || 'a client'} may not connect: ${admitted}.`);
        void dependencies.presence.refused(identity);
        return done(notAuthorized(admitted), false);
      }
      const existing = sessions.find(client.id);
      if (existing !== undefined) sessions.blame(existing.client, 'DUPLICATE_CLIENTID');
      sessions.open(client, admitted);
      done(null, true);
    },
  };
}

function identityOf(
  { source }: BrokerDependencies,
  client: Client,
  packet: ConnectPacket,
): Identity {
  const { principal, signer, commonName, ipAddress, domainName } = peerOf(client.conn);
  const topicArn = `arn:aws:iot:${source.region}:${source.accountId}:topic/`;
  return {
    clientId: client.id,
    principal,
    ...(signer === undefined ? {} : { signer }),
    ...{ commonName, ipAddress },
    persistent: packet.clean === false,
    ...(domainName === undefined ? {} : { domainName }),
    ...(packet.will === undefined ? {} : { willTopic: `${topicArn}${packet.will.topic}` }),
  };
}

/** A session, or why there is none. */
function admit(
  { authority, source }: BrokerDependencies,
  client: Client,
  identity: Identity,
  packet: ConnectPacket,
): string | Session {
  const { principal, signer } = identity;
  const isOperator = principal === authority.operator.certificateId;
  const isActive = source.registry.certificate(principal)?.status === 'ACTIVE';
  if (!isOperator && signer === undefined && !isActive) {
    return 'its certificate is not registered here or not active';
  }
  if (packet.clientId === '' || Buffer.byteLength(packet.clientId) > clientIdBytesMax) {
    return `a client id has 1 to ${clientIdBytesMax} bytes`;
  }
  // "The client ID can't start with a dollar sign ($)."
  if (packet.clientId.startsWith('$')) return 'a client id cannot start with $';
  const rights = authorizer(source, identity, isOperator ? operatorPolicies : undefined);
  if (!rights.allows('iot:Connect', identity.clientId)) {
    return `no policy allows iot:Connect with this client id and ${
      signer === undefined ? 'certificate' : 'signature'
    }`;
  }
  // "connect_failed … or when a last will is configured and the client is not authorized to
  // publish to that last will topic."
  if (packet.will !== undefined && !rights.allows('iot:Publish', packet.will.topic)) {
    return 'no policy allows iot:Publish to the topic of its will';
  }
  const problem = packet.will === undefined ? undefined : willProblem(packet.will);
  if (problem !== undefined) return problem;
  const { port, targetIp } = peerOf(client.conn);
  return {
    identity,
    rights,
    sessionId: randomUUID(),
    keepAliveSeconds: packet.keepalive ?? 0,
    connectedAtMs: Date.now(),
    isOperator,
    inFlight: inFlight(),
    recentPublishes: { windowStartMs: 0, count: 0 },
    sourcePort: port,
    targetIp,
  };
}

/** What no client may have published in its name either. */
function willProblem({ topic, payload, qos }: NonNullable<ConnectPacket['will']>) {
  if (qos === 2) return 'a will with QoS 2 is not supported';
  // "AWS IoT Core rejects publish and connect requests larger than this size."
  if (Buffer.byteLength(payload) > payloadBytesMax) {
    return `the payload of a will has at most ${payloadBytesMax} bytes`;
  }
  return topicProblem(topic);
}

const notAuthorized = (message: string): AuthenticateError =>
  Object.assign(new Error(message), { returnCode: 5 });
