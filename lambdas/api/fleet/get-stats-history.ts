import type { StatsHistoryAnswer } from '../../../core/contract/fleet-body.ts';
import { checkQuery } from '../http/call.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';

/**
 * `GET /v1/stats/history`: what ended in each minute of the last hour, as the rollup counted it. It
 * is counted for the whole fleet, so who is limited to a pool sees none of it.
 */
export const getStatsHistory = defineOperation({
  name: 'getStatsHistory',
  read: (call) => checkQuery(call, []),
  run: async (_, { caller, nowMs }, deps: Pick<Ports, 'stats'>): Promise<StatsHistoryAnswer> => {
    const isLimited = caller.kind !== 'edge' && (caller.pool !== null || caller.queue !== null);
    const minutes = isLimited ? [] : await deps.stats.history(nowMs);
    return {
      minutes: minutes.map(({ atMs, ...ended }) => ({
        at: new Date(atMs).toISOString(),
        ...ended,
      })),
    };
  },
  answer: (body) => ({ status: 200, body }),
});
