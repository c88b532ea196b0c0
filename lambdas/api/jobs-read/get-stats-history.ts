import type { StatsHistoryAnswer } from '../../../core/wire/fleet-body.ts';
import { type Answer, type Call, callerOf, checkQuery } from '../http/call.ts';
import type { Ports } from '../ports.ts';

/**
 * `GET /v1/stats/history`: what ended in each minute of the last hour, as the rollup counted it. It
 * is counted for the whole fleet, so who is limited to a pool sees none of it.
 */
export async function getStatsHistory(call: Call, deps: Pick<Ports, 'stats'>): Promise<Answer> {
  checkQuery(call, []);
  const caller = callerOf(call);
  const isLimited = caller.kind === 'token' && (caller.pool !== null || caller.queue !== null);
  const minutes = isLimited ? [] : await deps.stats.history(call.nowMs);
  const body: StatsHistoryAnswer = {
    minutes: minutes.map(({ atMs, ...ended }) => ({ at: new Date(atMs).toISOString(), ...ended })),
  };
  return { status: 200, body };
}
