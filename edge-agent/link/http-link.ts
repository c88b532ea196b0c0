import type { Facts } from '../../core/protocol/facts.ts';
import { isRecord } from '../../core/protocol/json.ts';
import type { ProgressReportJson } from '../../core/protocol/progress-report.ts';
import type { Clock } from '../host/clock.ts';
import {
  linkRefusalsMax,
  pollAfterReportMs,
  pollBusyMs,
  pollDisplacedMs,
  pollIdleMs,
  reconnectMsMax,
  reconnectMsMin,
} from '../limits.ts';
import { makeBackoff } from './backoff.ts';
import { type ControlPlaneApi, ControlPlaneError } from './control-plane-api.ts';
import type { Link, LinkEvents, ReportAnswer } from './link.ts';

/**
 * The same protocol over HTTPS, for networks without MQTT: work is asked for every few seconds,
 * sooner while some is held, and right after a report, whose answer is usually more work.
 */
export type HttpLinkOptions = {
  readonly edge: string;
  readonly secret: () => string;
  readonly api: ControlPlaneApi;
  readonly clock: Clock;
  readonly events: LinkEvents;
  /** Before work is asked for: takes offers, where the edge does so by itself. Never throws. */
  readonly take?: (secret: string) => Promise<void>;
  /** In [0, 1): spreads the polls of a fleet. */
  readonly random?: () => number;
};

export function makeHttpLink(options: HttpLinkOptions): Link {
  const { api, clock, events, edge, secret, take, random = Math.random } = options;
  const contact = makeContact(events, random);
  let isBusy = false;
  let isDisplaced = false;
  let facts: Facts | null = null;
  let cancel: () => void = () => {};
  let polling: Promise<void> | null = null;

  /** What is made of the answer is no part of the contact: a fault in it is not the network's. */
  const poll = async (): Promise<void> => {
    let document: unknown;
    try {
      if (contact.isConnected()) await take?.(secret());
      document = await api.getWork(secret(), edge);
    } catch (error) {
      const waitMs = contact.isStopped() ? null : contact.failed(error);
      if (waitMs !== null) pollIn(waitMs);
      return;
    }
    if (contact.isStopped()) return;
    isBusy = isRecord(document) && isRecord(document.w) && Object.keys(document.w).length > 0;
    try {
      contact.answered();
      events.work(document, true);
    } finally {
      const everyMs = isBusy ? pollBusyMs : pollIdleMs;
      pollIn((isDisplaced ? pollDisplacedMs : everyMs) * (0.75 + random() / 2));
    }
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
      const sent = facts;
      try {
        await api.postReport(
          secret(),
          edge,
          sent === null ? document : { ...document, facts: sent },
        );
        if (facts === sent) facts = null;
        contact.answered();
        // The control plane applies it in a moment; what it grants for it is worth asking for.
        if (!isDisplaced) pollIn(pollAfterReportMs);
        return 'accepted';
      } catch (error) {
        if (error instanceof ControlPlaneError && !error.isTemporary) return 'rejected';
        return 'unanswered';
      }
    },
    publishFacts(value) {
      facts = value;
      return Promise.resolve(true);
    },
    giveWay(mustGiveWay) {
      isDisplaced = mustGiveWay;
    },
    async stop() {
      contact.stop();
      cancel();
      await polling;
    },
  };
}

/** Connected or not, and whether to go on: not when it was stopped, or refused too often. */
function makeContact(events: LinkEvents, random: () => number) {
  const backoff = makeBackoff(reconnectMsMin, reconnectMsMax, random);
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
      if (refusals >= linkRefusalsMax) {
        isStopped = true;
        events.revoked(reason);
        return null;
      }
      const retryAfterMs = error instanceof ControlPlaneError ? error.retryAfterMs : null;
      return Math.max(backoff.next(), retryAfterMs ?? 0);
    },
  };
}

function isRefused(error: unknown): boolean {
  return error instanceof ControlPlaneError && (error.isRefusal || error.status === 404);
}
