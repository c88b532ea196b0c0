import type { FleetEvent } from '../events/fleet-event.ts';
import type { JobId } from '../model/names.ts';
import { endsRememberedMax, failingAfterMs } from './limits.ts';
import { type DeliveryAttempt, waitAfter } from './webhook.ts';

/**
 * The ends of one job that its receiver has not got yet. Mostly one; a job that is retried ends
 * again, and its ends come in the order in which they happened.
 */
export type EndNotice = {
  readonly job: JobId;
  /** The oldest first. */
  readonly waiting: readonly FleetEvent[];
  /** Ids of what was received or given up: one that is added again is known. */
  readonly settled: readonly string[];
  readonly failures: number;
  /** Not before this it is sent; who sends it moves this first, so that no other does. */
  readonly nextAtMs: number;
  readonly last: DeliveryAttempt | null;
  /** Counts the changes of this. */
  readonly turn: number;
};

/** `null`: it is known. */
export function withEnd(
  job: JobId,
  notice: EndNotice | null,
  event: FleetEvent,
  nowMs: number,
): EndNotice | null {
  if (notice === null) {
    const none = { settled: [], failures: 0, last: null };
    return { job, waiting: [event], ...none, nextAtMs: nowMs, turn: 1 };
  }
  const { waiting, settled, turn } = notice;
  if (settled.includes(event.id) || waiting.some(({ id }) => id === event.id)) return null;
  const nextAtMs = waiting.length === 0 ? nowMs : notice.nextAtMs;
  return { ...notice, waiting: [...waiting, event], nextAtMs, turn: turn + 1 };
}

/** Of the oldest that waits. `isGivenUp`: it was not taken for a day, and is not sent again. */
export function afterNotice(
  notice: EndNotice,
  { isTaken, ...last }: DeliveryAttempt & { readonly isTaken: boolean },
): { readonly next: EndNotice; readonly isGivenUp: boolean } {
  const { waiting, settled, failures, turn } = notice;
  const [event, ...rest] = waiting;
  if (event === undefined) return { next: notice, isGivenUp: false };
  const isGivenUp = !isTaken && last.atMs - event.atMs >= failingAfterMs;
  if (!isTaken && !isGivenUp) {
    const nextAtMs = last.atMs + waitAfter(failures);
    const next = { ...notice, failures: failures + 1, nextAtMs, last, turn: turn + 1 };
    return { next, isGivenUp };
  }
  const known = [...settled, event.id].slice(-endsRememberedMax);
  const done = { waiting: rest, settled: known, failures: 0, nextAtMs: last.atMs };
  return { next: { ...notice, ...done, last, turn: turn + 1 }, isGivenUp };
}
