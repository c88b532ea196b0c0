import { timerDelaySecondsMax } from '../../core/limits.ts';
import type { CellId } from '../../core/names.ts';
import type { Clock, Timers } from '../../core/ports/timers.ts';
import { createJsonCalls, type JsonCalls } from '../aws/json-calls.ts';

/**
 * Timers finer than the minute tick: a delayed message names the cell to look at.
 *
 * Every pass may ask; a request is dropped when this process has already sent a message that comes
 * no later. So the number of messages under way for a cell is bounded by the number of processes,
 * however often passes run.
 */
export function createPassTimers(deps: {
  readonly queueUrl: string;
  readonly clock: Clock;
  readonly calls?: JsonCalls;
}): Timers {
  const calls = deps.calls ?? createJsonCalls('sqs');
  const underWay = new Map<CellId, number>();
  return {
    async lookAgain(cell, atMs) {
      const nowMs = deps.clock.nowMs();
      const delaySeconds = Math.ceil((atMs - nowMs) / 1_000);
      const DelaySeconds = Math.min(timerDelaySecondsMax, Math.max(0, delaySeconds));
      const dueAtMs = nowMs + DelaySeconds * 1_000;
      const sent = underWay.get(cell);
      if (sent !== undefined && sent > nowMs && sent <= dueAtMs) return;
      underWay.set(cell, dueAtMs);
      await calls.call('SendMessage', {
        QueueUrl: deps.queueUrl,
        MessageBody: JSON.stringify({ cell }),
        DelaySeconds,
      });
    },
  };
}
