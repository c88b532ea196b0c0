/**
 * Carries owed messages to the actions of their rules: a bounded number at a time, each action
 * tried with growing pauses, then the error action once with all failures. Only then is the
 * message off the books.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { deliveriesAtOnceMax, deliveryAttemptsMax, deliveryBackoffFirstMs } from './limits.ts';
import type { OutboxRow } from './outbox.ts';
import type { MessageContext } from './rule-functions.ts';
import { fillTemplate } from './rule-template.ts';
import { jsonOf, type Rule, type RuleAction, type Rules, resultOf, ruleTopic } from './rules.ts';

export type DeliveryTargets = {
  sqs(queueUrl: string, body: string): Promise<void>;
  s3(bucket: string, key: string, body: Uint8Array): Promise<void>;
  lambda(functionArn: string, payload: unknown): Promise<void>;
  republish(row: OutboxRow, topic: string, qos: 0 | 1, body: Uint8Array): Promise<void>;
};

export type RuleDelivery = {
  offer(rows: readonly OutboxRow[]): void;
  /** Resolves when nothing is owed any more. */
  idle(): Promise<void>;
  counters(): Record<string, number>;
  /** Stops trying; what is still owed stays in the outbox. */
  close(): Promise<void>;
};

type Dependencies = {
  readonly accountId: string;
  readonly rules: Rules;
  readonly targets: DeliveryTargets;
  /** Removes the row durably. */
  readonly settle: (id: number) => Promise<void>;
  readonly backoffMaxMs: number;
  readonly log: (line: string) => void;
};

type Failure = { readonly action: RuleAction; readonly message: string };

export function ruleDelivery(dependencies: Dependencies): RuleDelivery {
  const { rules, settle, log } = dependencies;
  const queue: OutboxRow[] = [];
  const stopping = new AbortController();
  const counts = { delivered: 0, retried: 0, failed: 0, dropped: 0 };
  let running = 0;
  let whenIdle: (() => void)[] = [];

  const pump = () => {
    while (running < deliveriesAtOnceMax && queue.length > 0 && !stopping.signal.aborted) {
      const row = queue.shift()!;
      running++;
      void deliver(row)
        .catch((error: unknown) => {
          if (!stopping.signal.aborted) log(`Rule ${row.rule}: ${sentence(error)}`);
        })
        .finally(() => {
          running--;
          pump();
        });
    }
    if (running === 0 && (queue.length === 0 || stopping.signal.aborted)) {
      for (const done of whenIdle.splice(0)) done();
    }
  };

  const deliver = async (row: OutboxRow): Promise<void> => {
    const rule = rules.named(row.rule);
    if (rule === undefined) {
      counts.dropped++;
      log(`Rule ${row.rule} is gone; a message on ${row.topic} that it owed is dropped.`);
      return settle(row.id);
    }
    const context = contextOf(row, dependencies.accountId);
    const result = resultOf(rule, row.payload, context);
    const bytes = result instanceof Uint8Array ? result : Buffer.from(JSON.stringify(result));
    const outcomes = await Promise.all(
      rule.actions.map((action) => attempt(action, row, bytes, context)),
    );
    const failures = outcomes.filter((outcome) => outcome !== undefined);
    if (failures.length === 0) counts.delivered++;
    else await runErrorAction(rule, row, failures, context);
    await settle(row.id);
  };

  const runErrorAction = async (
    rule: Rule,
    row: OutboxRow,
    failures: readonly Failure[],
    context: MessageContext,
  ): Promise<void> => {
    counts.failed++;
    for (const { action, message } of failures) {
      log(`Rule ${rule.name}: the action ${action.kind} failed: ${message}`);
    }
    if (rule.errorAction === undefined) return;
    const body = Buffer.from(JSON.stringify(errorMessage(rule, row, failures)));
    const failure = await attempt(rule.errorAction, row, body, context);
    if (failure !== undefined)
      log(`Rule ${rule.name}: the error action failed: ${failure.message}`);
  };

  const attempt = async (
    action: RuleAction,
    row: OutboxRow,
    bytes: Uint8Array,
    context: MessageContext,
  ): Promise<Failure | undefined> => {
    for (let tries = 1; ; tries++) {
      try {
        await run(dependencies.targets, action, row, bytes, context);
        return undefined;
      } catch (error) {
        stopping.signal.throwIfAborted();
        if (tries >= deliveryAttemptsMax) return { action, message: sentence(error) };
        counts.retried++;
        const pauseMs = Math.min(
          deliveryBackoffFirstMs * 2 ** (tries - 1),
          dependencies.backoffMaxMs,
        );
        await pause(pauseMs, undefined, { signal: stopping.signal });
      }
    }
  };

  const idle = () =>
    new Promise<void>((resolve) => {
      whenIdle = [...whenIdle, resolve];
      pump();
    });

  return {
    offer(rows) {
      queue.push(...rows);
      pump();
    },
    idle,
    counters: () => ({ ...counts, owed: queue.length + running }),
    close() {
      stopping.abort();
      return idle();
    },
  };
}

function run(
  targets: DeliveryTargets,
  action: RuleAction,
  row: OutboxRow,
  bytes: Uint8Array,
  context: MessageContext,
): Promise<void> {
  switch (action.kind) {
    case 'sqs':
      return targets.sqs(
        action.queueUrl,
        Buffer.from(bytes).toString(action.useBase64 ? 'base64' : 'utf8'),
      );
    case 's3':
      return targets.s3(
        action.bucket,
        fillTemplate(action.key, jsonOf(row.payload), context),
        bytes,
      );
    case 'lambda':
      // A message that is not JSON reaches a function as its base64 text.
      return targets.lambda(
        action.functionArn,
        jsonOf(bytes) ?? Buffer.from(bytes).toString('base64'),
      );
    case 'republish': {
      const topic = fillTemplate(action.topic, jsonOf(row.payload), context);
      // "To republish to a reserved topic, which begins with $, use $$ instead."
      const target = topic.startsWith('$$') ? topic.slice(1) : topic;
      return targets.republish(row, target, action.qos, bytes);
    }
  }
}

export function contextOf(
  row: Omit<OutboxRow, 'id' | 'rule' | 'depth'>,
  accountId: string,
): MessageContext {
  return {
    topic: ruleTopic(row.topic),
    clientId: row.clientId,
    principal: row.principal,
    accountId,
    receivedAtMs: row.receivedAtMs,
    get payloadBase64() {
      return Buffer.from(row.payload).toString('base64');
    },
    newUuid: randomUUID,
  };
}

/** "A single message is generated per rule and message", with every error in it. */
function errorMessage(rule: Rule, row: OutboxRow, failures: readonly Failure[]) {
  return {
    ruleName: rule.name,
    topic: ruleTopic(row.topic),
    cloudwatchTraceId: randomUUID(),
    clientId: row.clientId,
    base64OriginalPayload: Buffer.from(row.payload).toString('base64'),
    failures: failures.map(({ action, message }) => ({
      failedAction: `${action.kind[0]!.toUpperCase()}${action.kind.slice(1)}Action`,
      failedResource: resourceOf(action),
      errorMessage: message,
    })),
  };
}

function resourceOf(action: RuleAction): string {
  switch (action.kind) {
    case 'sqs':
      return action.queueUrl;
    case 's3':
      return action.bucket;
    case 'lambda':
      return action.functionArn;
    case 'republish':
      return action.topic.filter((part) => typeof part === 'string').join('*');
  }
}

const sentence = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
