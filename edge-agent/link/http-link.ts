import type { Facts } from '../../core/protocol/facts.ts';
import { isRecord } from '../../core/protocol/json.ts';
import type { ProgressReportJson } from '../../core/protocol/progress-report.ts';
import type { Clock } from '../host/clock.ts';
import { pollBusyMs, pollIdleMs, reconnectMsMax, reconnectMsMin } from '../limits.ts';
import { makeBackoff } from './backoff.ts';
import type { Link, LinkEvents, ReportAnswer } from './link.ts';
import { type PlaneApi, PlaneError } from './plane-api.ts';

/**
 * The same protocol over HTTPS, for networks without MQTT: work is asked for every few seconds,
 * sooner while some is held, and right after a report, whose answer is usually more work.
 */
export type HttpLinkOptions = {
  readonly edge: string;
  readonly secret: () => string;
  readonly api: PlaneApi;
  readonly clock: Clock;
  readonly events: LinkEvents;
};

/** The plane has to refuse this often in a row before the edge believes that it is not wanted. */
const refusalsMax = 2;

export function makeHttpLink(options: HttpLinkOptions): Link {
  const { api, clock, events, edge, secret } = options;
  const contact = makeContact(events);
  let isBusy = false;
  let facts: Facts | null = null;
  let cancel: () => void = () => {};
  let polling: Promise<void> | null = null;

  const poll = async (): Promise<void> => {
    let waitMs: number | null;
    try {
      const document = await api.getWork(secret(), edge);
      if (contact.isStopped()) return;
      contact.answered();
      isBusy = isRecord(document) && isRecord(document.w) && Object.keys(document.w).length > 0;
      events.work(document, true);
      waitMs = (isBusy ? pollBusyMs : pollIdleMs) * (0.75 + Math.random() / 2);
    } catch (error) {
      waitMs = contact.isStopped() ? null : contact.failed(error);
    }
    if (waitMs !== null) pollIn(waitMs);
  };

  const pollIn = (waitMs: number): void => {
    cancel();
    if (contact.isStopped()) return;
    cancel = clock.after(waitMs, () => {
      polling ??= poll().finally(() => {
        polling = null;
      });
    });
  };

  return {
    start: () => pollIn(0),
    async report(document: ProgressReportJson): Promise<ReportAnswer> {
      if (!contact.isConnected()) return 'unanswered';
      try {
        await api.postReport(secret(), edge, facts === null ? document : { ...document, facts });
        facts = null;
        contact.answered();
        // The plane applies it in a moment; what it grants for it is worth asking for.
        pollIn(afterReportMs);
        return 'accepted';
      } catch (error) {
        if (error instanceof PlaneError && !error.isTemporary) return 'rejected';
        return 'unanswered';
      }
    },
    publishFacts(value) {
      facts = value;
      return Promise.resolve(true);
    },
    async stop() {
      contact.stop();
      cancel();
      await polling;
    },
  };
}

/** Connected or not, and whether to go on: not when it was stopped, or refused too often. */
function makeContact(events: LinkEvents) {
  const backoff = makeBackoff(reconnectMsMin, reconnectMsMax);
  let isConnected = false;
  let isStopped = false;
  let refusals = 0;
  return {
    isConnected: (): boolean => isConnected,
    isStopped: (): boolean => isStopped,
    stop(): void {
      isStopped = true;
    },
    answered(): void {
      refusals = 0;
      backoff.reset();
      if (isConnected || isStopped) return;
      isConnected = true;
      events.connected();
    },
    /** Answers how long to wait before the next try, or `null` when there is none. */
    failed(error: unknown): number | null {
      const reason = error instanceof Error ? error.message : String(error);
      if (isConnected) {
        isConnected = false;
        events.disconnected(reason);
      } else events.notConnected?.(reason);
      refusals = isRefused(error) ? refusals + 1 : 0;
      if (refusals >= refusalsMax) {
        isStopped = true;
        events.revoked(reason);
        return null;
      }
      const retryAfterMs = error instanceof PlaneError ? error.retryAfterMs : null;
      return Math.max(backoff.next(), retryAfterMs ?? 0);
    },
  };
}

function isRefused(error: unknown): boolean {
  return error instanceof PlaneError && (error.isRefusal || error.status === 404);
}

const afterReportMs = 150;
