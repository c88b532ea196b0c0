import type { Clock } from '../host/clock.ts';
import { contactEveryMs } from '../limits.ts';

/**
 * When the cloud was last there, by the clock of the host. While the link is up that is now; once
 * it is down it is measured, because clocks are set, and over a reboot it goes on from what was
 * written down, so that `offlineSeconds` goes on counting.
 */
export type Contact = {
  made(): void;
  lost(isWorth: boolean): void;
  lastMs(): number;
  /** Writes it down, now and then; only work with an offline limit asks for that. */
  note(): void;
};

export function makeContact(
  clock: Clock,
  rememberedMs: number | null,
  write: (atMs: number) => void,
): Contact {
  let isConnected = false;
  // What was written down by a clock that was ahead is no time to come.
  const rememberedAgoMs = Math.max(0, clock.nowMs() - (rememberedMs ?? clock.nowMs()));
  let measuredMs = clock.monotonicMs() - rememberedAgoMs;
  let notedMs = Number.NEGATIVE_INFINITY;
  const lastMs = (): number => {
    if (isConnected) measuredMs = clock.monotonicMs();
    return Math.round(clock.nowMs() - (clock.monotonicMs() - measuredMs));
  };
  const noteNow = (): void => {
    notedMs = lastMs();
    write(notedMs);
  };
  return {
    made() {
      isConnected = true;
    },
    lost(isWorth) {
      const atMs = lastMs();
      isConnected = false;
      if (isWorth && atMs !== notedMs) noteNow();
    },
    lastMs,
    note() {
      if (Math.abs(lastMs() - notedMs) >= contactEveryMs) noteNow();
    },
  };
}
