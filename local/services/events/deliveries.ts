/**
 * Carries events to the targets of rules. Each is written down before `PutEvents` is answered and
 * forgotten when its target has it, so that a killed local cloud repeats a delivery and loses none.
 */
import { randomUUID } from 'node:crypto';
import type { StateStore } from '../../engine/state-store.ts';
import type { RoleBook } from '../iam/roles.ts';
import type { LambdaService } from '../lambda/service.ts';
import type { QueuesAndBuckets } from '../queues-and-buckets.ts';
import { type BusEvent, type EventRule, type EventTarget, rulesFor } from './bus.ts';

export type EventDeliveries = {
  accept(bus: string, event: BusEvent): void;
  /** Nothing is under way any more. */
  close(): Promise<void>;
};

export type EventDeliveriesOptions = {
  readonly rules: readonly EventRule[];
  readonly store: StateStore;
  readonly roles: Pick<RoleBook, 'serviceMay'>;
  readonly lambda: Pick<LambdaService, 'find' | 'invokeLater'>;
  readonly queues: Pick<QueuesAndBuckets, 'sqs' | 'publish'>;
  queueUrl(name: string): string;
  log(line: string): void;
};

/** On its way to one target. */
type Underway = {
  readonly key: string;
  readonly rule: string;
  readonly target: string;
  readonly event: BusEvent;
};

const kind = 'event';

export function eventDeliveries(options: EventDeliveriesOptions): EventDeliveries {
  const { rules, store, log } = options;
  const running = new Set<Promise<void>>();
  const start = (underway: Underway): void => {
    const rule = rules.find(({ arn }) => arn === underway.rule);
    const target = rule?.targets.find(({ id }) => id === underway.target);
    const done = (async () => {
      if (rule === undefined || target === undefined) return;
      await send(rule, target, underway.event, options);
    })()
      .catch((error: unknown) => {
        log(`rule ${underway.rule}: ${error instanceof Error ? error.message : String(error)}`);
      })
      .finally(() => {
        store.remove(kind, underway.key);
        running.delete(done);
      });
    running.add(done);
  };
  for (const { value } of store.list(kind)) start(JSON.parse(value) as Underway);
  return {
    accept(bus, event) {
      for (const rule of rulesFor(rules, bus, event)) {
        for (const target of rule.targets) {
          const key = randomUUID();
          const underway = { key, rule: rule.arn, target: target.id, event };
          store.put(kind, key, JSON.stringify(underway));
          start(underway);
        }
      }
    },
    async close() {
      await Promise.all(running);
    },
  };
}

async function send(
  rule: EventRule,
  target: EventTarget,
  event: BusEvent,
  { roles, lambda, queues, queueUrl }: EventDeliveriesOptions,
): Promise<void> {
  const body = target.input(event, rule);
  const [, , service = '', , , ...rest] = target.arn.split(':');
  const name = rest.join(':');
  const allow = (action: string): void => {
    const context = { 'aws:sourcearn': rule.arn };
    const request = { action, resource: target.arn, context };
    if (roles.serviceMay('events.amazonaws.com', request)) return;
    throw new Error(`the policy of ${name} does not let events.amazonaws.com do ${action}.`);
  };
  if (service === 'sqs') {
    allow('sqs:SendMessage');
    const group = target.messageGroupId;
    const inOrder = group === undefined ? {} : { MessageGroupId: group };
    const message = { QueueUrl: queueUrl(name), MessageBody: body, ...inOrder };
    await queues.sqs('SendMessage', message);
  } else if (service === 'sns') {
    allow('sns:Publish');
    await queues.publish(target.arn, undefined, body);
  } else {
    const definition = lambda.find(target.arn);
    if (definition === undefined) throw new Error(`there is no function ${name}.`);
    await lambda.invokeLater(definition, Buffer.from(body));
  }
}
