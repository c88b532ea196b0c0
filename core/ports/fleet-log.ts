import type { FleetEvent } from '../events/fleet-event.ts';

/** The fleet's timeline: what happened, in the one order in which everybody reads it, for a day. */
export type FleetLog = {
  /**
   * Behind everything that is there. Whoever reads on from any position misses none of them, also
   * when several append at once.
   */
  append(events: readonly FleetEvent[], nowMs: number): Promise<void>;
  /** Behind the last. */
  newest(nowMs: number): Promise<LogPosition>;
  /**
   * What follows, in order; from the oldest that is kept without a position. `gone`: something that
   * followed is not kept any more.
   */
  read(after: LogPosition | null, nowMs: number): Promise<readonly LoggedEvent[] | 'gone'>;
};

/** The number of a batch, and how many of its events are behind one. */
export type LogPosition = { readonly batch: number; readonly events: number };

export type LoggedEvent = { readonly event: FleetEvent; readonly position: LogPosition };

/** Where rules of other services look at events. What it does not take whole throws. */
export type EventBus = { put(events: readonly FleetEvent[]): Promise<void> };

/** Says that something was appended, to those who carry events on. */
export type EventWakes = { wake(): Promise<void> };
