import type { Clock } from '../host/clock.ts';
import { contactEveryMs } from '../limits.ts';

/**
 * When the cloud was last there. While the link is up that is now; once it is down, and over a
 * reboot, it is what was written down, so that `offlineSeconds` goes on counting.
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
  let lastMs = rememberedMs ?? clock.nowMs();
  let notedMs = Number.NEGATIVE_INFINITY;
  const noteNow = (): void => {
    notedMs = lastMs;
    write(lastMs);
  };
  return {
    made() {
      isConnected = true;
    },
    lost(isWorth) {
      if (isConnected) lastMs = clock.nowMs();
      isConnected = false;
      if (isWorth && lastMs !== notedMs) noteNow();
    },
    lastMs: () => (isConnected ? clock.nowMs() : lastMs),
    note() {
      if (isConnected) lastMs = clock.nowMs();
      if (lastMs - notedMs >= contactEveryMs) noteNow();
    },
  };
}
