/**
 * What a connected client may do: publish, subscribe and receive, by policy and within the quotas.
 * A forbidden publish ends the connection; a forbidden subscription is answered with 128.
 */
import type { Aedes, AedesPublishPacket, Client, PublishPacket, Subscription } from 'aedes';
import type { BrokerDependencies } from './broker.ts';
import type { Authorizer, DisconnectReason, Identity } from './connection.ts';
import type { InFlight, Message } from './exchange.ts';
import {
  filtersPerSubscribeMax,
  payloadBytesMax,
  publishesPerSecondMax,
  subscriptionsPerConnectionMax,
  topicBytesMax,
  topicSlashesMax,
} from './limits.ts';
import { shadowRequestOf } from './shadow-topics.ts';
import { isTopicFilter } from './topic-filter.ts';

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
  reason?: DisconnectReason;
};

/** What follows from a message, kept between its two hooks: before and after the PUBACK. */
type Consequences = WeakMap<object, readonly Message[]>;

export function brokerTraffic(
  { exchange, log }: BrokerDependencies,
  sessions: WeakMap<Client, Session>,
) {
  const consequences: Consequences = new WeakMap();
  const counts = { publishesRefused: 0, publishesDiscarded: 0, subscribesRefused: 0 };

  /** Undefined: taken. Otherwise the client is told nothing but is disconnected. */
  const takePublish = async (
    client: Client | null,
    packet: PublishPacket,
  ): Promise<Error | undefined> => {
    const session = client === null ? undefined : sessions.get(client);
    if (client === null || session === undefined) return new Error('The client is unknown.');
    const isWill = (client as unknown as { will: unknown }).will === packet;
    const refusal = publishRefusal(session, packet, isWill);
    if (refusal !== undefined) {
      counts.publishesRefused++;
      if (!isWill) session.reason ??= refusal.reason;
      return new Error(`publish to ${packet.topic} refused: ${refusal.why}`);
    }
    if (!isWill && exceedsRate(session)) {
      counts.publishesDiscarded++;
      discard(packet);
      return undefined;
    }
    const options = { ignoreShadow: isWill, inFlight: session.inFlight };
    const messages = await exchange().accept(messageOf(session, packet), options);
    if (messages.length > 0) consequences.set(packet, messages);
    // The copy for subscribers carries no retain flag; what is retained is stored already.
    packet.retain = false;
    return undefined;
  };

  const authorizePublish = (
    client: Client | null,
    packet: PublishPacket,
    done: (error?: Error | null) => void,
  ): void => {
    takePublish(client, packet).then(
      (refused) => done(refused ?? null),
      (error: unknown) => {
        const session = client === null ? undefined : sessions.get(client);
        if (session !== undefined) session.reason ??= 'SERVER_ERROR';
        log(`MQTT: a message on ${packet.topic} was not taken: ${String(error)}`);
        done(new Error('Internal service failure'));
      },
    );
  };

  return {
    authorizePublish,
    authorizeSubscribe(
      client: Client,
      subscription: Subscription,
      done: (error: Error | null, granted?: Subscription | null) => void,
    ): void {
      const session = sessions.get(client);
      const refusal =
        session === undefined
          ? 'the client is unknown'
          : subscribeRefusal(client, session, subscription);
      if (refusal === undefined) {
        done(null, subscription);
        return;
      }
      counts.subscribesRefused++;
      log(`MQTT: ${client.id}: subscription to ${subscription.topic} refused: ${refusal}.`);
      done(null, null);
    },
    /** "The iot:Receive permission is confirmed every time a message is delivered to a client." */
    authorizeForward(client: Client, packet: AedesPublishPacket): AedesPublishPacket | null {
      const allowed = sessions.get(client)?.rights.allows('iot:Receive', packet.topic) ?? false;
      return allowed ? packet : null;
    },
    /** Runs after the PUBACK was written and the message itself was passed on. */
    published(
      aedes: Aedes,
      packet: AedesPublishPacket,
      _client: Client,
      done: (error?: Error | null) => void,
    ): void {
      const messages = consequences.get(packet);
      done();
      for (const { topic, payload, qos } of messages ?? []) {
        const body = Buffer.from(payload);
        const copy = {
          cmd: 'publish',
          topic,
          payload: body,
          qos,
          retain: false,
          dup: false,
        } as const;
        aedes.publish(copy, () => undefined);
      }
    },
    /** Limits of whole packets, which the broker's hooks see only in parts. */
    watch(client: Client): void {
      const { _parser } = client as unknown as {
        _parser: { prependListener(event: 'packet', listen: (packet: WirePacket) => void): void };
      };
      _parser.prependListener('packet', (packet) => {
        const problem = packetProblem(packet);
        if (problem === undefined) return;
        const session = sessions.get(client);
        if (session !== undefined) session.reason ??= 'CLIENT_ERROR';
        client.emit('error', new Error(problem));
      });
    },
    counters: () => ({ ...counts }),
  };
}

type WirePacket = { cmd: string; subscriptions?: { qos: number }[]; qos?: number };

function packetProblem(packet: WirePacket): string | undefined {
  // "AWS IoT doesn't support QoS level 2": such a packet ends the connection.
  if (packet.cmd === 'publish' && packet.qos === 2) return 'a publish with QoS 2 is not supported';
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
  session: Session,
  { topic }: Subscription,
): string | undefined {
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
  if (Buffer.byteLength(topic) > topicBytesMax) return `a topic has at most ${topicBytesMax} bytes`;
  const slashes = topic.split('/').length - 1;
  const free = topic.startsWith('$aws/rules/') ? 3 : 0;
  return slashes - free > topicSlashesMax
    ? `a topic has at most ${topicSlashesMax} slashes`
    : undefined;
}

/** Reserved topics that clients publish to: shadow requests and Basic Ingest. */
export const isPublishable = (topic: string): boolean =>
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
  principal: session.identity.certificateId,
});
