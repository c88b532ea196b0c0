import type { JobId } from '../../../core/model/names.ts';
import type { EndNotices } from '../../../core/ports/end-notices.ts';
import type { JobsStore } from '../../../core/ports/jobs.ts';
import type { Clock } from '../../../core/ports/timers.ts';
import { afterNotice, type EndNotice } from '../../../core/webhooks/end-notice.ts';
import {
  deliveryBudgetMs,
  deliveryClaimMs,
  endsDueMax,
  receiversAtOnce,
} from '../../../core/webhooks/limits.ts';
import { forEachLimited } from '../../for-each-limited.ts';
import type { Log } from '../../log.ts';
import type { PostEvent } from './post-event.ts';
import { sendEvent } from './send-event.ts';

/**
 * Notifies the receivers that jobs name of their ends. Whoever sends one has moved the time of its
 * notice before, so that no other sends it as well.
 */
export type NotifyDeps = {
  readonly endNotices: Pick<EndNotices, 'due' | 'find' | 'save'>;
  readonly jobs: Pick<JobsStore, 'find'>;
  readonly post: PostEvent;
  readonly clock: Clock;
  readonly log: Log;
};

export async function notifyEnds(deps: NotifyDeps): Promise<void> {
  const { clock, endNotices, log } = deps;
  const untilMs = clock.nowMs() + deliveryBudgetMs;
  // Who did not answer once is not waited for again by every job that names it.
  const away = new Set<string>();
  while (clock.nowMs() < untilMs) {
    let moved = 0;
    const due = await endNotices.due(clock.nowMs(), endsDueMax);
    await forEachLimited(due, receiversAtOnce, async (job) => {
      if (clock.nowMs() >= untilMs) return;
      try {
        if (await notifyEnd(job, away, deps)) moved += 1;
      } catch (error) {
        log.error('nobody was notified of the end of a job', { job, error });
      }
    });
    // The list may be a moment behind: what it still shows others may have seen to.
    if (moved === 0) return;
  }
}

/** `false`: it is not ours, or not due. */
async function notifyEnd(
  job: JobId,
  away: Set<string>,
  { endNotices, jobs, post, clock, log }: NotifyDeps,
): Promise<boolean> {
  const found = await endNotices.find(job);
  const event = found?.waiting[0];
  if (found === null || event === undefined || found.nextAtMs > clock.nowMs()) return false;
  const turn = found.turn + 1;
  const held: EndNotice = { ...found, nextAtMs: clock.nowMs() + deliveryClaimMs, turn };
  if (!(await endNotices.save(held, found.turn))) return false;
  const receiver = (await jobs.find(job))?.job.spec.onEnd;
  // Of a job that was removed nobody is notified any more.
  if (receiver === undefined) {
    return endNotices.save({ ...held, waiting: [], turn: turn + 1 }, turn);
  }
  const { origin } = new URL(receiver.url);
  const unsent = { isTaken: false, atMs: clock.nowMs(), event: event.id, status: null };
  const sent = away.has(origin)
    ? { ...unsent, error: 'no answer to another of its jobs' }
    : await sendEvent(event, receiver, { post, clock });
  if (sent.status === null) away.add(origin);
  const { next, isGivenUp } = afterNotice(held, sent);
  if (!isGivenUp) return endNotices.save(next, turn);
  log.metric('WebhooksFailing', 1, { job });
  const said = sent.error ?? `it answered ${sent.status}`;
  const detail = `Its receiver was not notified of ${event.kind} for a day: ${said}.`;
  const line = { atMs: sent.atMs, kind: 'end-not-received', by: 'edgewise', detail };
  return endNotices.save(next, turn, line);
}
