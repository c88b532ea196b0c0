import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { timerDelaySecondsMax } from '../../core/model/limits.ts';
import type { CellId } from '../../core/model/names.ts';
import type { Clock, Timers } from '../../core/ports/timers.ts';
import { clientConfig } from '../aws/client-config.ts';

/**
 * Timers finer than the minute tick: a delayed message names the cell to look at.
 *
 * Every pass may ask; a request is dropped when this process has already sent a message that comes
 * no later. So the number of messages under way for a cell is bounded by the number of processes,
 * however often passes run.
 *
 * A message says when it was due: who receives it goes home when a later pass has been there.
 */
export function createPassTimers(deps: {
  readonly queueUrl: string;
  readonly clock: Clock;
  readonly client?: SQSClient;
}): Timers {
  const { queueUrl: QueueUrl, client = new SQSClient(clientConfig) } = deps;
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
      const MessageBody = JSON.stringify({ cell, dueAtMs: Math.max(atMs, dueAtMs) });
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody, DelaySeconds }));
    },
  };
}
