/**
 * What a connected client may do: publish, subscribe and receive, by policy and within the quotas.
 * A forbidden publish ends the connection; a forbidden subscription is answered with 128.
 */
import type { AedesOptions, Client, PublishPacket, Subscription } from 'aedes';
import type { Message } from '../exchange.ts';
import {
  filtersPerSubscribeMax,
  payloadBytesMax,
  publishesPerSecondMax,
  subscriptionsPerConnectionMax,
  topicBytesMax,
  topicSlashesMax,
} from '../limits.ts';
import { emptySession } from '../sessions/persistence.ts';
import { shadowRequestOf } from '../shadow/topics.ts';
import type { BrokerDependencies } from './broker-options.ts';
import type { DisconnectReason } from './connection.ts';
import type { Session, Sessions } from './sessions.ts';
import { isTopicFilter } from './topic-filter.ts';

type Traffic = BrokerDependencies & {
  readonly sessions: Sessions;
  /** What follows from a message, kept between its two hooks: before and after the PUBACK. */
  readonly consequences: WeakMap<object, readonly Message[]>;
  readonly counts: {
    publishesRefused: number;
    publishesDiscarded: number;
    subscribesRefused: number;
  };
};

type Hooks = Required<
  Pick<AedesOptions, 'authorizePublish' | 'authorizeSubscribe' | 'authorizeForward' | 'published'>
>;

export type BrokerTraffic = {
  readonly hooks: Hooks;
  /** Whether a topic filter was granted to this client on its connection. */
  granted(client: object, filter: string): boolean;
  /** Limits of whole packets, which the hooks see only in parts. */
  watch(client: Client): void;
  counters(): Record<string, number>;
};

export function brokerTraffic(dependencies: BrokerDependencies, sessions: Sessions): BrokerTraffic {
  const counts = { publishesRefused: 0, publishesDiscarded: 0, subscribesRefused: 0 };
  const grants = new WeakMap<object, Set<string>>();
  const traffic: Traffic = { ...dependencies, sessions, consequences: new WeakMap(), counts };
  return {
    hooks: {
      authorizePublish: (client, packet, done) => authorizePublish(traffic, client, packet, done),
      authorizeSubscribe: (client, subscription, done) => {
        if (subscription.topic === emptySession.topic) return done(null, null);
        const refusal = subscribeRefusal(client, sessions.of(client), subscription);
        if (refusal === undefined) {
          grants.set(client, (grants.get(client) ?? new Set()).add(subscription.topic));
        }
        if (refusal !== undefined) {
          counts.subscribesRefused++;
          const what = `subscription to ${subscription.topic}`;
          dependencies.log(`MQTT: ${client.id}: ${what} refused: ${refusal}.`);
        }
        done(null, refusal === undefined ? subscription : null);
      },
      // "The iot:Receive permission is confirmed every time a message is delivered to a client."
      authorizeForward: (client, packet) =>
        sessions.of(client)?.rights.allows('iot:Receive', packet.topic) ? packet : null,
      // Runs after the PUBACK was written and the message itself was passed on.
      published: (packet, _client, done) => {
        done();
        for (const message of traffic.consequences.get(packet) ?? []) dependencies.publish(message);
      },
    },
    granted: (client, filter) => grants.get(client)?.has(filter) === true,
    watch(client) {
      const { _parser } = client as unknown as {
        _parser: { prependListener(event: 'packet', listen: (packet: WirePacket) => void): void };
      };
      _parser.prependListener('packet', (packet) => {
        const problem = packetProblem(packet);
        if (problem === undefined) return;
        sessions.blame(client, 'CLIENT_ERROR');
        client.emit('error', new Error(problem));
      });
    },
    counters: () => ({ ...counts }),
  };
}

/** The PUBACK waits for this: what it acknowledges is committed. */
function authorizePublish(
  traffic: Traffic,
  client: Client | null,
  packet: PublishPacket,
  done: (error?: Error | null) => void,
): void {
  takePublish(traffic, client, packet).then(
    (refused) => done(refused ?? null),
    (error: unknown) => {
      traffic.sessions.blame(client, 'SERVER_ERROR');
      traffic.log(`MQTT: a message on ${packet.topic} was not taken: ${String(error)}`);
      done(new Error('Internal service failure'));
    },
  );
}

/** Undefined: taken. Otherwise the client gets no reason but is disconnected. */
async function takePublish(
  traffic: Traffic,
  client: Client | null,
  packet: PublishPacket,
): Promise<Error | undefined> {
  const { sessions, counts } = traffic;
  const session = sessions.of(client);
  if (client === null || session === undefined) return new Error('The client is unknown.');
  const isWill = (client as unknown as { will: unknown }).will === packet;
  const refusal = publishRefusal(session, packet, isWill);
  if (refusal !== undefined) {
    counts.publishesRefused++;
    if (!isWill) sessions.blame(client, refusal.reason);
    return new Error(`publish to ${packet.topic} refused: ${refusal.why}`);
  }
  if (!isWill && exceedsRate(session)) {
    counts.publishesDiscarded++;
    discard(packet);
    return undefined;
  }
  const options = { ignoreShadow: isWill, inFlight: session.inFlight };
  const messages = await traffic.exchange.accept(messageOf(session, packet), options);
  if (messages.length > 0) traffic.consequences.set(packet, messages);
  // The copy for subscribers carries no retain flag; what is retained is stored already.
  packet.retain = false;
  return undefined;
}

type WirePacket = { cmd: string; subscriptions?: { qos: number }[] };

function packetProblem(packet: WirePacket): string | undefined {
  if (packet.cmd !== 'subscribe') return undefined;
  const subscriptions = packet.subscriptions ?? [];
  if (subscriptions.some(({ qos }) => qos === 2))
    return 'a subscription with QoS 2 is not supported';
  return subscriptions.length > filtersPerSubscribeMax
    ? `a SUBSCRIBE has at most ${filtersPerSubscribeMax} topic filters`
    : undefined;
}

type Refusal = { readonly reason: DisconnectReason; readonly why: string };

function publishRefusal(
  session: Session,
  packet: PublishPacket,
  isWill: boolean,
): Refusal | undefined {
  const { topic } = packet;
  // "AWS IoT supports QoS levels 0 and 1": another one ends the connection.
  if (packet.qos === 2) return { reason: 'CLIENT_ERROR', why: 'QoS 2 is not supported' };
  const tooLong = topicProblem(topic);
  if (tooLong !== undefined) return { reason: 'CLIENT_ERROR', why: tooLong };
  if (packet.payload.length > payloadBytesMax) {
    return { reason: 'CLIENT_ERROR', why: `a payload has at most ${payloadBytesMax} bytes` };
  }
  const reserved = topic.startsWith('$');
  // "Unsupported publish … operations to reserved topics can result in a terminated connection."
  if (reserved && !isWill && !isPublishable(topic)) {
    return { reason: 'CLIENT_ERROR', why: 'the topic is reserved' };
  }
  // "You can't publish to a reserved topic with the RETAIN flag set."
  if (reserved && packet.retain) {
    return { reason: 'CLIENT_ERROR', why: 'a reserved topic takes no retained message' };
  }
  if (!session.rights.allows('iot:Publish', topic)) {
    return { reason: 'AUTH_ERROR', why: 'no policy allows iot:Publish' };
  }
  if (packet.retain && !session.rights.allows('iot:RetainPublish', topic)) {
    return { reason: 'AUTH_ERROR', why: 'no policy allows iot:RetainPublish' };
  }
  return undefined;
}

function subscribeRefusal(
  client: Client,
  session: Session | undefined,
  { topic }: Subscription,
): string | undefined {
  if (session === undefined) return 'the client is unknown';
  const { subscriptions } = client as unknown as { subscriptions: Record<string, unknown> };
  const isNew = subscriptions[topic] === undefined;
  if (isNew && Object.keys(subscriptions).length >= subscriptionsPerConnectionMax) {
    return `a connection has at most ${subscriptionsPerConnectionMax} subscriptions`;
  }
  const problem = topicProblem(topic);
  if (problem !== undefined) return problem;
  if (!isTopicFilter(topic)) return 'it is not a topic filter';
  // What is sent by Basic Ingest does not pass the broker, so nobody can listen to it.
  const reserved = topic.startsWith('$') && !topic.startsWith('$aws/');
  if (reserved || topic.startsWith('$aws/rules/')) return 'the topic is reserved';
  return session.rights.allows('iot:Subscribe', topic)
    ? undefined
    : 'no policy allows iot:Subscribe to this filter';
}

/** Sizes that hold for topics and topic filters alike. */
export function topicProblem(topic: string): string | undefined {
  // "This excludes the first 3 mandatory segments for Basic Ingest topics."
  const counted = topic.replace(/^\$aws\/rules\/[^/]*\//, '');
  if (Buffer.byteLength(counted) > topicBytesMax) {
    return `a topic has at most ${topicBytesMax} bytes`;
  }
  return counted.split('/').length - 1 > topicSlashesMax
    ? `a topic has at most ${topicSlashesMax} slashes`
    : undefined;
}

/** Reserved topics that clients publish to: shadow requests and Basic Ingest. */
const isPublishable = (topic: string): boolean =>
  !topic.startsWith('$') ||
  /^\$aws\/rules\/[^/]+\/./.test(topic) ||
  shadowRequestOf(topic, new Uint8Array()) !== undefined;

/** The operator looks on and is no device of the fleet, so its rate is its own affair. */
function exceedsRate(session: Session): boolean {
  const recent = session.recentPublishes;
  const nowMs = Date.now();
  if (nowMs - recent.windowStartMs >= 1000) {
    recent.windowStartMs = nowMs;
    recent.count = 0;
  }
  recent.count++;
  return !session.isOperator && recent.count > publishesPerSecondMax;
}

/** Without QoS there is no PUBACK, and nobody can listen to the topic: the message is gone. */
function discard(packet: PublishPacket): void {
  packet.qos = 0;
  packet.retain = false;
  packet.topic = '$SYS/discarded';
}

const messageOf = (session: Session, packet: PublishPacket): Message => ({
  topic: packet.topic,
  payload: Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload),
  qos: packet.qos === 1 ? 1 : 0,
  retain: packet.retain,
  clientId: session.identity.clientId,
  principal: session.identity.principal,
});
