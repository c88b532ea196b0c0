import {
  crowdedMsMax,
  displacedMs,
  reconnectMsMax,
  reconnectMsMin,
  shortConnectionMs,
} from '../limits.ts';
import { makeBackoff } from './backoff.ts';

/**
 * How long an agent stays away after its connection ended, or did not come about. A broker does not
 * say that another agent with the same identity took the connection over; but then it ends soon,
 * again and again. Each time both stay away for longer, so that each is there for long enough to
 * report, and whoever hears of their connections hears of few.
 */
export type ReconnectPauses = {
  connected(): void;
  /** The control plane sees two agents with this identity. */
  giveWay(mustGiveWay: boolean): void;
  nextMs(): number;
};

export function makeReconnectPauses(
  monotonicMs: () => number,
  random: () => number,
): ReconnectPauses {
  const failing = makeBackoff(reconnectMsMin, reconnectMsMax, random);
  const crowded = makeBackoff(reconnectMsMin, crowdedMsMax, random);
  let connectedAtMs = Number.NEGATIVE_INFINITY;
  let isDisplaced = false;
  return {
    connected() {
      connectedAtMs = monotonicMs();
      failing.reset();
    },
    giveWay(mustGiveWay) {
      isDisplaced = mustGiveWay;
    },
    nextMs() {
      if (isDisplaced) return displacedMs * (1 + random() / 2);
      if (monotonicMs() - connectedAtMs >= shortConnectionMs) crowded.reset();
      return Math.max(failing.next(), crowded.next());
    },
  };
}
