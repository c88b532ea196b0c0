/**
 * Carries owed messages to the actions of their rules: a bounded number at a time, each action
 * tried with growing pauses, then the error action once with all failures. Only then is the
 * message off the books.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { deliveriesAtOnceMax, deliveryAttemptsMax, deliveryBackoffFirstMs } from '../limits.ts';
import type { MessageContext } from './functions.ts';
import type { OutboxRow } from './outbox.ts';
import { jsonOf, type Rule, type RuleAction, type Rules, resultOf, ruleTopic } from './rules.ts';
import { fillTemplate } from './template.ts';

type DeliveryTargets = {
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

type Counts = { delivered: number; retried: number; failed: number; dropped: number };
type Work = Dependencies & { readonly stopping: AbortSignal; readonly counts: Counts };

export function ruleDelivery(dependencies: Dependencies): RuleDelivery {
  const queue: OutboxRow[] = [];
  const stopping = new AbortController();
  const counts: Counts = { delivered: 0, retried: 0, failed: 0, dropped: 0 };
  const work: Work = { ...dependencies, stopping: stopping.signal, counts };
  let running = 0;
  let whenIdle: (() => void)[] = [];

  const pump = () => {
    while (running < deliveriesAtOnceMax && queue.length > 0 && !stopping.signal.aborted) {
      const row = queue.shift()!;
      running++;
      void deliver(work, row)
        .catch((error: unknown) => {
          if (!stopping.signal.aborted) dependencies.log(`Rule ${row.rule}: ${sentence(error)}`);
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

async function deliver(work: Work, row: OutboxRow): Promise<void> {
  const rule = work.rules.named(row.rule);
  if (rule === undefined) {
    work.counts.dropped++;
    work.log(`Rule ${row.rule} is gone; a message on ${row.topic} that it owed is dropped.`);
    return work.settle(row.id);
  }
  const context = contextOf(row, work.accountId);
  const result = resultOf(rule, row.payload, context);
  const bytes = result instanceof Uint8Array ? result : Buffer.from(JSON.stringify(result));
  const outcomes = await Promise.all(
    rule.actions.map((action) => attempt(work, action, row, bytes, context)),
  );
  const failures = outcomes.filter((outcome) => outcome !== undefined);
  if (failures.length === 0) work.counts.delivered++;
  else await runErrorAction(work, rule, row, failures, context);
  return work.settle(row.id);
}

async function runErrorAction(
  work: Work,
  rule: Rule,
  row: OutboxRow,
  failures: readonly Failure[],
  context: MessageContext,
): Promise<void> {
  work.counts.failed++;
  for (const { action, message } of failures) {
    work.log(`Rule ${rule.name}: the action ${action.kind} failed: ${message}`);
  }
  if (rule.errorAction === undefined) return;
  const body = Buffer.from(JSON.stringify(errorMessage(rule, row, failures)));
  const failure = await attempt(work, rule.errorAction, row, body, context);
  if (failure !== undefined) {
    work.log(`Rule ${rule.name}: the error action failed: ${failure.message}`);
  }
}

/** Undefined: done. A failure comes only after the last try. */
async function attempt(
  work: Work,
  action: RuleAction,
  row: OutboxRow,
  bytes: Uint8Array,
  context: MessageContext,
): Promise<Failure | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      await run(work.targets, action, row, bytes, context);
      return undefined;
    } catch (error) {
      work.stopping.throwIfAborted();
      if (tries >= deliveryAttemptsMax) return { action, message: sentence(error) };
      work.counts.retried++;
      const pauseMs = Math.min(deliveryBackoffFirstMs * 2 ** (tries - 1), work.backoffMaxMs);
      await pause(pauseMs, undefined, { signal: work.stopping });
    }
  }
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
