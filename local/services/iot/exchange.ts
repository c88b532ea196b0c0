/**
 * Where every message goes through, whoever sent it: one transaction answers shadow requests,
 * keeps retained messages, notes what rules owe and what waits for clients with a persistent
 * session; only after its commit is anything published.
 */

import type { RetainedStore } from './broker/retained.ts';
import type { Journal } from './journal.ts';
import { contextOf, type RuleDelivery } from './rules/delivery.ts';
import type { Outbox, OutboxRow } from './rules/outbox.ts';
import type { Rules } from './rules/rules.ts';
import type { PersistentSessions } from './sessions/persistent-sessions.ts';
import type { HeldMessage } from './sessions/queue.ts';
import {
  apply,
  reject,
  type ShadowOutcome,
  type ShadowRequest,
  tokenOf,
} from './shadow/service.ts';
import type { ShadowStore } from './shadow/store.ts';
import { type inFlight, type requestRate, tooManyRequests } from './shadow/throttle.ts';
import { shadowRequestOf } from './shadow/topics.ts';

export type Message = {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: 0 | 1;
  readonly retain?: boolean;
  /** "n/a if the message wasn't sent over MQTT" */
  readonly clientId?: string;
  readonly principal?: string;
  readonly depth?: number;
};

export type Publish = (message: Message) => void;
export type InFlight = ReturnType<typeof inFlight>;

export type Exchange = {
  /** Takes a message in; resolves after the commit, with what is to be published because of it. */
  accept(message: Message, options?: AcceptOptions): Promise<readonly Message[]>;
  /** A shadow request that is answered to its caller, over HTTP. */
  request(request: ShadowRequest): Promise<ShadowOutcome['response']>;
  /** Publishes a message of the service itself, such as a lifecycle event. */
  announce(message: Message): Promise<void>;
  counters(): Record<string, number>;
};

type AcceptOptions = {
  /** A will on a reserved topic is not a request: the shadow service ignores it. */
  readonly ignoreShadow?: boolean;
  /** The requests of this connection that are under way. */
  readonly inFlight?: InFlight;
};

type Dependencies = {
  readonly accountId: string;
  readonly journal: Journal;
  readonly shadows: ShadowStore;
  readonly retained: RetainedStore;
  readonly outbox: Outbox;
  readonly sessions: PersistentSessions;
  readonly rules: Rules;
  readonly delivery: RuleDelivery;
  readonly rate: ReturnType<typeof requestRate>;
  readonly publish: Publish;
  readonly nowMs: () => number;
};

export function exchange(dependencies: Dependencies): Exchange {
  const { journal, delivery, publish, nowMs } = dependencies;
  const counts = { messages: 0, shadowRequests: 0, shadowRejected: 0, rulesTriggered: 0 };

  /** After the commit: hands over what rules owe, and counts. */
  const settle = ({ rows, held, response }: Effects): void => {
    dependencies.sessions.hold(held);
    counts.rulesTriggered += rows.length;
    if (response !== undefined) counts.shadowRequests++;
    if (response !== undefined && response.code !== 200) counts.shadowRejected++;
    if (rows.length > 0) delivery.offer(rows);
  };

  const accept = async (
    message: Message,
    options: AcceptOptions = {},
  ): Promise<readonly Message[]> => {
    counts.messages++;
    const receivedAtMs = nowMs();
    const request = options.ignoreShadow
      ? undefined
      : shadowRequestOf(message.topic, message.payload);
    const slot = request === undefined || (options.inFlight?.start(request.thing) ?? true);
    const admitted = slot && (request === undefined || admits(dependencies, request, receivedAtMs));
    try {
      const effects = await journal.write(() =>
        effectsOf(dependencies, message, request, admitted, receivedAtMs),
      );
      settle(effects);
      return effects.messages;
    } finally {
      if (request !== undefined && slot) options.inFlight?.end(request.thing);
    }
  };

  return {
    accept,
    async request(request) {
      const receivedAtMs = nowMs();
      const admitted = admits(dependencies, request, receivedAtMs);
      const effects = await journal.write(() =>
        shadowEffects(dependencies, request, admitted, receivedAtMs),
      );
      settle(effects);
      effects.messages.forEach(publish);
      return effects.response;
    },
    async announce(message) {
      const messages = await accept(message);
      for (const each of [message, ...messages]) publish(each);
    },
    counters: () => ({ ...counts }),
  };
}

/** What a transaction did, for after its commit. */
type Effects = {
  readonly messages: readonly Message[];
  readonly rows: readonly OutboxRow[];
  readonly held: readonly HeldMessage[];
  readonly response?: ShadowOutcome['response'];
};

const admits = ({ rate }: Dependencies, request: ShadowRequest, nowMs: number): boolean =>
  rate.admits(nowMs, `${request.thing}/${request.name ?? ''}`);

/** Inside the transaction: everything that one message changes. */
function effectsOf(
  dependencies: Dependencies,
  message: Message,
  request: ShadowRequest | undefined,
  admitted: boolean,
  receivedAtMs: number,
): Effects {
  const rows = owe(dependencies, message, receivedAtMs);
  const held = dependencies.sessions.keep(message);
  if (message.retain === true) {
    dependencies.retained.put({ ...message, modifiedAtMs: receivedAtMs });
  }
  if (request === undefined) return { messages: [], rows, held };
  const shadow = shadowEffects(dependencies, request, admitted, receivedAtMs);
  return { ...shadow, rows: [...rows, ...shadow.rows], held: [...held, ...shadow.held] };
}

/** Inside the transaction: the answer of the shadow service and what rules see of it. */
function shadowEffects(
  dependencies: Dependencies,
  request: ShadowRequest,
  admitted: boolean,
  receivedAtMs: number,
): Required<Effects> {
  const { shadows } = dependencies;
  const stored = shadows.read(request.thing, request.name);
  const outcome = admitted
    ? apply(receivedAtMs, stored, request)
    : reject(stored, request, { ...tooManyRequests, ...tokenOf(request) });
  if (outcome.next !== undefined && outcome.next !== stored) {
    shadows.write(request.thing, request.name, outcome.next);
  }
  const messages = outcome.messages.map(
    ({ topic, body }): Message => ({ topic, payload: Buffer.from(JSON.stringify(body)), qos: 1 }),
  );
  const rows = messages.flatMap((message) => owe(dependencies, message, receivedAtMs));
  const held = messages.flatMap((message) => dependencies.sessions.keep(message));
  return { messages, rows, held, response: outcome.response };
}

/** Inside the transaction: a row for each rule that the message triggers. */
function owe(dependencies: Dependencies, message: Message, receivedAtMs: number): OutboxRow[] {
  const known = {
    topic: message.topic,
    payload: message.payload,
    clientId: message.clientId ?? 'n/a',
    principal: message.principal ?? 'n/a',
    receivedAtMs,
  };
  const context = contextOf(known, dependencies.accountId);
  return dependencies.rules
    .triggered(message.topic, message.payload, context)
    .map((rule) =>
      dependencies.outbox.add({ ...known, rule: rule.name, depth: message.depth ?? 0 }),
    );
}
