/**
 * The IoT half of the local cloud: broker, Device Shadow service, registry and rules around one
 * file of state. This is its only door; everything else in this folder is behind it.
 */
import { mkdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import type { ServerCertificate } from '../../engine/gateway/plain-or-tls.ts';
import type { Request } from '../../engine/gateway/routes.ts';
import { type Broker, startBroker } from './broker/broker.ts';
import type { AuthorizerSource } from './broker/connection.ts';
import { retainedSchema, retainedStore } from './broker/retained.ts';
import { type Authority, ensureAuthority } from './control-plane/authority.ts';
import { controlPlane } from './control-plane/control-plane.ts';
import { registry, registrySchema } from './control-plane/registry.ts';
import { dataPlane } from './data-plane/data-plane.ts';
import { deviceRequests } from './data-plane/device-requests.ts';
import { type Exchange, exchange } from './exchange.ts';
import { isKnown, neededAction, operationsOf } from './http/action-names.ts';
import { openJournal } from './journal.ts';
import {
  deliveryBackoffMaxMs,
  keepAliveSecondsMin,
  republishDepthMax,
  sessionExpiryMs,
} from './limits.ts';
import { parsePolicy, type ResolvedPolicy } from './policy/policy.ts';
import { type PolicyBook, policyBook } from './policy/policy-book.ts';
import { type Presence, presence } from './presence/presence.ts';
import { presenceSchema, presenceStore } from './presence/store.ts';
import { type RuleDelivery, ruleDelivery } from './rules/delivery.ts';
import { type OutboxRow, outbox, outboxSchema } from './rules/outbox.ts';
import { parseRules, type ResolvedTopicRule, type Rules } from './rules/rules.ts';
import { persistentSessions } from './sessions/persistent-sessions.ts';
import { sessionSchema, sessionStore } from './sessions/store.ts';
import { shadowSchema, shadowStore } from './shadow/store.ts';
import { requestRate } from './shadow/throttle.ts';
import type { SignedBy } from './web-socket/handshake.ts';
import { type Upgrade, webSockets } from './web-socket/web-sockets.ts';

type Timing = {
  readonly keepAliveSecondsMin: number;
  readonly sessionExpiryMs: number;
  readonly deliveryBackoffMaxMs: number;
};

export type IotOptions = {
  readonly stateDir: string;
  readonly host: string;
  /** 0: any free port; the endpoint then names the one that was taken. */
  readonly mqttPort: number;
  readonly accountId: string;
  readonly region: string;
  readonly resources: {
    readonly topicRules: readonly ResolvedTopicRule[];
    readonly policies: readonly ResolvedPolicy[];
  };
  readonly deliver: {
    sqs(queueUrl: string, body: string): Promise<void>;
    s3(bucket: string, key: string, body: Uint8Array): Promise<void>;
    lambda(functionArn: string, payload: unknown): Promise<void>;
  };
  /** Shorter times than those of AWS, for tests that wait for one to run out. */
  readonly timing?: Partial<Timing>;
  /** Who signed the request for a WebSocket. */
  readonly signedBy: SignedBy;
  log(line: string): void;
  /** What the IoT policies refused. */
  denied?(clientId: string, action: string, resource: string): void;
};

export type IotService = {
  readonly mqttPort: number;
  readonly caPem: string;
  readonly caPath: string;
  readonly operator: {
    readonly certPath: string;
    readonly keyPath: string;
    readonly clientId: string;
  };
  /** What a server of this cloud shows in TLS. */
  readonly serverCertificate: ServerCertificate;
  /** MQTT over WebSocket. */
  readonly upgrade: Upgrade;
  handleData(req: IncomingMessage, res: ServerResponse, body: Buffer): Promise<void>;
  handleControl(req: IncomingMessage, res: ServerResponse, body: Buffer): Promise<void>;
  /** The operations of one of the two services, and whether a request is for one of them. */
  operationsOf(service: 'iotdata' | 'iot'): string[];
  knows(service: 'iotdata' | 'iot', req: Request): boolean;
  actionOf(service: 'iotdata' | 'iot', req: Request): { action: string; resource: string };
  counters(): Record<string, number>;
  /** Resolves when no rule owes anything to its actions. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

const schema = [
  shadowSchema,
  registrySchema,
  outboxSchema,
  presenceSchema,
  retainedSchema,
  sessionSchema,
].join('');
const housekeepingMs = 60_000;

export async function startIot(options: IotOptions): Promise<IotService> {
  // What cannot be run is refused before anything is opened.
  const rules = parseRules(options.resources.topicRules);
  for (const { name, document } of options.resources.policies) parsePolicy(name, document);
  const authority = await ensureAuthority(options.stateDir);
  const stores = openStores(options);
  try {
    const policies = policyBook(options.resources.policies, stores.registry);
    return await run(options, { rules, policies, authority, stores });
  } catch (error) {
    stores.sessions.close();
    stores.journal.close();
    throw error;
  }
}

type Stores = ReturnType<typeof openStores>;

function openStores(options: IotOptions) {
  const { stateDir } = options;
  mkdirSync(join(stateDir, 'iot'), { recursive: true });
  const journal = openJournal(join(stateDir, 'iot', 'state.sqlite'), schema);
  return {
    journal,
    registry: registry(journal.database),
    shadows: shadowStore(journal.database),
    retained: retainedStore(journal.database),
    owed: outbox(journal.database),
    presence: presenceStore(journal.database),
    sessions: persistentSessions({
      journal,
      store: sessionStore(journal.database),
      expiryMs: timingOf(options).sessionExpiryMs,
      nowMs,
    }),
    rate: requestRate(),
  };
}

type Prepared = {
  readonly rules: Rules;
  readonly policies: PolicyBook;
  readonly authority: Authority;
  readonly stores: Stores;
};

async function run(options: IotOptions, prepared: Prepared): Promise<IotService> {
  const { authority, stores } = prepared;
  const parts: Parts = { generation: 0 };
  const delivery = createDelivery(options, prepared, parts);
  const messages = exchange({
    ...stores,
    accountId: options.accountId,
    outbox: stores.owed,
    rules: prepared.rules,
    delivery,
    publish: (message) => parts.broker?.publish(message),
    nowMs,
  });
  parts.exchange = messages;
  const lifecycle = presence({
    journal: stores.journal,
    store: stores.presence,
    exchange: messages,
    nowMs,
    log: options.log,
  });
  const broker = await createBroker(options, prepared, parts, { messages, lifecycle });
  parts.broker = broker;
  delivery.offer(stores.owed.all());
  await lifecycle.recover();
  const stopHousekeeping = startHousekeeping(stores);
  const doors = {
    ...stores,
    exchange: messages,
    broker,
    presence: lifecycle,
    sessionExpirySeconds: Math.floor(timingOf(options).sessionExpiryMs / 1000),
    nowMs,
    log: options.log,
  };
  const handleData = dataPlane(doors);
  const source = authorizerSource(options, prepared, parts);
  const { signedBy, log } = options;
  parts.request = deviceRequests({ authority, source, handle: handleData, log });
  return {
    mqttPort: broker.port,
    caPem: authority.caPem,
    caPath: authority.caPath,
    operator: authority.operator,
    serverCertificate: authority.server,
    upgrade: webSockets({ signedBy, mqtt: broker.accept, log }),
    handleData,
    handleControl: createControlPlane(options, prepared, parts, broker),
    operationsOf,
    knows: isKnown,
    actionOf: (service, req) => neededAction(service, req, options.region, options.accountId),
    counters: () => ({
      ...broker.counters(),
      ...messages.counters(),
      ...prefixed('rules', delivery.counters()),
    }),
    idle: () => delivery.idle(),
    async close() {
      stopHousekeeping();
      await broker.close();
      await lifecycle.settled();
      await delivery.close();
      stores.sessions.close();
      stores.journal.close();
    },
  };
}

/** The exchange publishes through the broker, which takes messages in through the exchange. */
type Parts = {
  exchange?: Exchange;
  broker?: Broker;
  request?: (socket: TLSSocket) => void;
  /** Grows with every change of what is registered or attached. */
  generation: number;
};

const timingOf = (options: IotOptions): Timing => ({
  keepAliveSecondsMin,
  sessionExpiryMs,
  deliveryBackoffMaxMs,
  ...options.timing,
});

const nowMs = (): number => Date.now();

function createDelivery(options: IotOptions, prepared: Prepared, parts: Parts): RuleDelivery {
  const { journal, owed } = prepared.stores;
  return ruleDelivery({
    accountId: options.accountId,
    rules: prepared.rules,
    targets: {
      ...options.deliver,
      republish: (row, topic, qos, body) =>
        republish(parts.exchange!, options.log, row, topic, qos, body),
    },
    settle: (id) => journal.write(() => owed.remove(id)),
    backoffMaxMs: timingOf(options).deliveryBackoffMaxMs,
    log: options.log,
  });
}

function createBroker(
  options: IotOptions,
  prepared: Prepared,
  parts: Parts,
  { messages, lifecycle }: { messages: Exchange; lifecycle: Presence },
): Promise<Broker> {
  const { host, log } = options;
  const { authority, stores } = prepared;
  const { retained } = stores;
  return startBroker({
    host,
    port: options.mqttPort,
    authority,
    source: authorizerSource(options, prepared, parts),
    request: (socket) => parts.request?.(socket),
    exchange: messages,
    presence: lifecycle,
    retained,
    persistent: stores.sessions,
    keepAliveSecondsMin: timingOf(options).keepAliveSecondsMin,
    log,
  });
}

function authorizerSource(
  { region, accountId, denied }: IotOptions,
  { policies, stores }: Prepared,
  parts: Parts,
): AuthorizerSource {
  return {
    registry: stores.registry,
    policies,
    region,
    accountId,
    generation: () => parts.generation,
    denied: (clientId, action, resource) => denied?.(clientId, action, resource),
  };
}

function createControlPlane(
  options: IotOptions,
  { authority, policies, stores }: Prepared,
  parts: Parts,
  broker: Broker,
) {
  return controlPlane({
    authority,
    registry: stores.registry,
    journal: stores.journal,
    policies,
    rules: options.resources.topicRules,
    region: options.region,
    accountId: options.accountId,
    endpoint: () => `${options.host}:${broker.port}`,
    changed: () => {
      parts.generation++;
    },
    certificateDisabled: (id) => broker.disconnectCertificate(id),
    nowMs,
    log: options.log,
  });
}

function startHousekeeping({ rate, journal, shadows }: Stores): () => void {
  const timer = setInterval(() => {
    rate.forget(nowMs());
    void journal.write(() => shadows.forget(nowMs()));
  }, housekeepingMs);
  timer.unref();
  return () => clearInterval(timer);
}

async function republish(
  to: Exchange,
  log: (line: string) => void,
  row: OutboxRow,
  topic: string,
  qos: 0 | 1,
  payload: Uint8Array,
): Promise<void> {
  if (row.depth >= republishDepthMax) {
    log(`Rule ${row.rule}: a message was republished ${row.depth} times already; it ends here.`);
    return;
  }
  const { clientId, principal } = row;
  await to.announce({ topic, payload, qos, clientId, principal, depth: row.depth + 1 });
}

const prefixed = (prefix: string, counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [
      `${prefix}${name[0]!.toUpperCase()}${name.slice(1)}`,
      count,
    ]),
  );
