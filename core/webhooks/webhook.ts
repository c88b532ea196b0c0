import { type FleetEvent, fleetEventKinds, isAskedFor, seesEvent } from '../events/fleet-event.ts';
import type { TokenCaller } from '../model/caller.ts';
import type { LogPosition } from '../ports/fleet-log.ts';
import { deliveryAgainMs, deliveryAgainMsMax, failingAfterMs } from './limits.ts';

/** An address that is notified of events. What its users set; how it goes is in `Delivery`. */
export type Webhook = {
  readonly id: string;
  readonly url: string;
  /** `job.done`, or `job.*` for all that begin so. */
  readonly kinds: readonly string[];
  readonly pool: string | null;
  readonly job: string | null;
  readonly secret: string;
  /** It gets what its author might read. */
  readonly sees: Pick<TokenCaller, 'scopes' | 'pool' | 'queue'>;
  readonly createdAtMs: number;
  readonly createdBy: string;
};

/**
 * How far a receiver has got: a position in the log of the fleet, so that what happens while it is
 * away is still there when it is back, in the order in which it happened.
 */
export type Delivery = {
  /** `null`: from the oldest that is kept. */
  readonly position: LogPosition | null;
  readonly failures: number;
  /** Since when nothing was taken. */
  readonly failingSinceMs: number | null;
  readonly nextAtMs: number;
  readonly last: DeliveryAttempt | null;
  /** Before this there were events that it did not get: they are not kept for longer. */
  readonly missedBeforeMs: number | null;
  /** Who delivers holds it until then. */
  readonly busyUntilMs: number;
  /** Counts the changes of this. */
  readonly turn: number;
};

/** What came of an event that was sent. */
export type DeliveryAttempt = {
  readonly atMs: number;
  readonly event: string;
  /** `null`: there was no answer, and `error` says why. */
  readonly status: number | null;
  readonly error: string | null;
};

export type WebhookState = 'active' | 'retrying' | 'failing';

export function newDelivery(position: LogPosition | null): Delivery {
  const none = { failures: 0, failingSinceMs: null, last: null, missedBeforeMs: null };
  return { position, ...none, nextAtMs: 0, busyUntilMs: 0, turn: 1 };
}

export function stateOf({ failingSinceMs }: Delivery, nowMs: number): WebhookState {
  if (failingSinceMs === null) return 'active';
  return nowMs - failingSinceMs >= failingAfterMs ? 'failing' : 'retrying';
}

export function afterSuccess(delivery: Delivery, position: LogPosition, last: DeliveryAttempt) {
  const well = { failures: 0, failingSinceMs: null, nextAtMs: 0 };
  return { ...delivery, ...well, position, last };
}

/** The same event is sent again, later each time. */
export function afterFailure(delivery: Delivery, last: DeliveryAttempt): Delivery {
  return {
    ...delivery,
    failures: delivery.failures + 1,
    failingSinceMs: delivery.failingSinceMs ?? last.atMs,
    nextAtMs: last.atMs + waitAfter(delivery.failures),
    last,
  };
}

/** Twice as long after each failure, up to the longest. */
export function waitAfter(failures: number): number {
  return Math.min(deliveryAgainMsMax, deliveryAgainMs * 2 ** Math.min(20, failures));
}

/** What it did not take for a day is gone; it goes on with the oldest that is left. */
export function afterLoss(delivery: Delivery, nowMs: number): Delivery {
  return { ...delivery, position: null, missedBeforeMs: nowMs };
}

export function isSentTo(webhook: Webhook, event: FleetEvent): boolean {
  const { pool, job, kinds } = webhook;
  if (!kinds.some((kind) => isOfKind(kind, event.kind))) return false;
  const filter = { kinds: [], job, edge: null, jobspec: null, pool };
  return isAskedFor(filter, event) && seesEvent(readerOf(webhook), event);
}

export function isKnownKind(kind: string): boolean {
  return fleetEventKinds.some((known) => isOfKind(kind, known));
}

function isOfKind(asked: string, kind: string): boolean {
  return asked.endsWith('.*') ? kind.startsWith(asked.slice(0, -1)) : asked === kind;
}

function readerOf({ id, sees }: Webhook): TokenCaller {
  return { kind: 'token', id, name: id, ...sees, edge: null, edges: null };
}
