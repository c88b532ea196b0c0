import type { Clock } from '../host/clock.ts';
import { factsAgainMs, idleReportEveryMs } from '../limits.ts';

/**
 * When an edge tells its facts: until they are taken whenever they changed, and again while they
 * stay the same. Who takes them may fail for good behind that, or be restored to what it knew
 * before, and an edge that is believed to have a full disk gets nothing for as long.
 */
export type FactsTelling<Facts> = {
  /** Asked every few seconds, with the same object as long as nothing changed. */
  tell(facts: Facts): Promise<void>;
};

export function makeFactsTelling<Facts>(
  clock: Clock,
  publish: (facts: Facts) => Promise<boolean>,
): FactsTelling<Facts> {
  let sent: Facts | null = null;
  let againAtMs = 0;
  return {
    async tell(facts) {
      const isNews = facts !== sent;
      if (!isNews && clock.monotonicMs() < againAtMs) return;
      if (!(await publish(facts))) return;
      sent = facts;
      againAtMs = clock.monotonicMs() + (isNews ? factsAgainMs : idleReportEveryMs);
    },
  };
}
