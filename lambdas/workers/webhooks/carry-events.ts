import type { FleetEvent } from '../../../core/events/fleet-event.ts';
import type { FleetLog } from '../../../core/ports/fleet-log.ts';
import type { Clock } from '../../../core/ports/timers.ts';
import type { WebhooksStore } from '../../../core/ports/webhooks.ts';
import { deliveryClaimMs } from '../../../core/webhooks/limits.ts';
import {
  afterFailure,
  afterLoss,
  afterSuccess,
  type Delivery,
  type DeliveryAttempt,
  stateOf,
} from '../../../core/webhooks/webhook.ts';
import type { Log } from '../../log.ts';

/**
 * Sends a receiver what it has not got yet, in the order of the log. What it does not take is sent
 * again before anything that came later.
 *
 * A receiver belongs to whoever has claimed its row, so that two do not send the same. An event
 * that is appended while somebody is about to let go is seen by that one's last look, or its
 * appender's wake comes after.
 */
export type EventReceiver = {
  readonly id: string;
  /** Events that it takes in one request. */
  readonly atOnce: number;
  wants(event: FleetEvent): boolean;
  send(events: readonly FleetEvent[]): Promise<DeliveryAttempt & { readonly isTaken: boolean }>;
};

export type CarryDeps = {
  readonly webhooks: Pick<WebhooksStore, 'save'>;
  readonly fleetLog: Pick<FleetLog, 'read'>;
  readonly clock: Clock;
  readonly log: Log;
};

export function isDue({ nextAtMs, busyUntilMs }: Delivery, nowMs: number): boolean {
  return nextAtMs <= nowMs && busyUntilMs <= nowMs;
}

export async function carryEvents(
  receiver: EventReceiver,
  delivery: Delivery,
  untilMs: number,
  deps: CarryDeps,
): Promise<void> {
  const { id } = receiver;
  let now = delivery;
  const save = async (next: Omit<Delivery, 'turn'>): Promise<boolean> => {
    const written = { ...next, turn: now.turn + 1 };
    const isMine = await deps.webhooks.save(id, written, now.turn);
    if (isMine) now = written;
    return isMine;
  };
  let isHeld = false;
  while (deps.clock.nowMs() < untilMs) {
    const nowMs = deps.clock.nowMs();
    const read = await deps.fleetLog.read(now.position, nowMs);
    if (read === 'gone') {
      deps.log.metric('WebhooksFailing', 1, { webhook: id });
      if (!(await save(afterLoss(now, nowMs)))) return;
      continue;
    }
    const wanted = read.filter(({ event }) => receiver.wants(event));
    if (read.length === 0) {
      if (!isHeld) return;
      // Let go, and look once more: who came meanwhile went home.
      isHeld = false;
      if (!(await save({ ...now, busyUntilMs: 0 }))) return;
      continue;
    }
    if (!isHeld && wanted.length > 0) {
      if (!(await save({ ...now, busyUntilMs: nowMs + deliveryClaimMs }))) return;
      isHeld = true;
    }
    const isOn = await sendThese(wanted, receiver, () => now, save, untilMs, deps);
    if (!isOn) break;
    // Behind what was not asked for, too, so that it is not read again.
    if (!(await save({ ...now, position: read.at(-1)?.position ?? null }))) return;
  }
  if (isHeld) await save({ ...now, busyUntilMs: 0 });
}

type Save = (next: Omit<Delivery, 'turn'>) => Promise<boolean>;

/** `false`: enough for now. */
async function sendThese(
  wanted: Exclude<Awaited<ReturnType<FleetLog['read']>>, 'gone'>,
  receiver: EventReceiver,
  now: () => Delivery,
  save: Save,
  untilMs: number,
  { clock, log }: CarryDeps,
): Promise<boolean> {
  for (let at = 0; at < wanted.length; at += receiver.atOnce) {
    if (clock.nowMs() >= untilMs) return false;
    const some = wanted.slice(at, at + receiver.atOnce);
    const { isTaken, ...attempt } = await receiver.send(some.map(({ event }) => event));
    const { position } = some.at(-1)!;
    const next = isTaken ? afterSuccess(now(), position, attempt) : afterFailure(now(), attempt);
    if (!isTaken && stateOf(next, attempt.atMs) === 'failing') {
      log.metric('WebhooksFailing', 1, { webhook: receiver.id });
    }
    if (!(await save(next)) || !isTaken) return false;
  }
  return true;
}
