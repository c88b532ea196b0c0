import { eventsKeptSeconds } from '../../core/events/limits.ts';
import type { FleetLog } from '../../core/ports/fleet-log.ts';
import type { Stored } from './stored.ts';

/** The fleet's log in memory: one event a batch. */
export function createMemoryFleetLog({ fleetLog }: Stored): FleetLog {
  const keptAt = (nowMs: number) =>
    fleetLog.filter(({ appendedAtMs }) => appendedAtMs > nowMs - eventsKeptSeconds * 1_000);
  return {
    async append(events, appendedAtMs) {
      for (const event of events) {
        const batch = firstBatch + fleetLog.length;
        fleetLog.push({ event, appendedAtMs, position: { batch, events: 1 } });
      }
    },
    async newest() {
      return { batch: firstBatch + fleetLog.length - 1, events: 1 };
    },
    async read(after, nowMs) {
      const kept = keptAt(nowMs);
      const from = after?.batch ?? 0;
      const first = kept[0]?.position.batch ?? firstBatch + fleetLog.length;
      if (after !== null && first > from + 1) return 'gone';
      return kept.filter(({ position }) => position.batch > from);
    },
  };
}

/** As high above nothing as the first number of the table is. */
const firstBatch = 1_000;
