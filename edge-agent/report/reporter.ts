import { progressEveryMs, reportEveryMsMax } from '../../core/model/limits.ts';
import type { Clock } from '../host/clock.ts';
import { idleReportEveryMs, progressEveryMsMin, reportAgainMs } from '../limits.ts';
import type { ReportAnswer } from '../link/link.ts';

/**
 * When to report: one update in flight, at most one a second, sooner only for what the cloud
 * waits for (a lease that runs low or has ended, chunks to be released), and never less than
 * every ten minutes while work is held; an idle edge says a few times a day that it is there.
 */
export type Reporter = {
  /** Something changed; it may wait for `withinMs`. */
  need(withinMs: number): void;
  /** The cloud waits for this. */
  needNow(): void;
  connected(): void;
  disconnected(): void;
  /** Sends what is due now, if a link is there, and waits for the answer. */
  flush(): Promise<void>;
  stop(): void;
};

export type ReporterDeps = {
  readonly clock: Clock;
  /** Composes, makes durable and sends. */
  readonly send: () => Promise<ReportAnswer>;
  /** Whether an edge that does not report would be taken for lost. */
  readonly mustReport: () => boolean;
};

const reportGapMsMax = reportEveryMsMax * 0.9;

export function makeReporter(deps: ReporterDeps): Reporter {
  const { clock } = deps;
  let dueMs: number | null = null;
  let isUrgent = false;
  let lastSentMs = Number.NEGATIVE_INFINITY;
  let inFlight: Promise<void> | null = null;
  let isConnected = false;
  let isStopped = false;
  let cancel: () => void = () => {};

  const schedule = (): void => {
    cancel();
    if (isStopped || !isConnected || inFlight !== null) return;
    const gapMs = isUrgent ? progressEveryMsMin : progressEveryMs;
    const wantedMs = dueMs ?? lastSentMs + (deps.mustReport() ? reportGapMsMax : idleReportEveryMs);
    const atMs = Math.max(wantedMs, lastSentMs + gapMs);
    cancel = clock.after(Math.max(0, atMs - clock.monotonicMs()), () => {
      void send();
    });
  };

  const send = (): Promise<void> => {
    if (inFlight !== null) return inFlight;
    dueMs = null;
    isUrgent = false;
    lastSentMs = clock.monotonicMs();
    inFlight = deps.send().then((answer) => {
      inFlight = null;
      if (answer !== 'accepted') need(reportAgainMs);
      schedule();
    });
    return inFlight;
  };

  const need = (withinMs: number): void => {
    const atMs = clock.monotonicMs() + withinMs;
    if (dueMs !== null && dueMs <= atMs) return;
    dueMs = atMs;
    schedule();
  };

  return {
    need,
    needNow() {
      if (isUrgent) return;
      isUrgent = true;
      dueMs = clock.monotonicMs();
      schedule();
    },
    connected() {
      isConnected = true;
      schedule();
    },
    disconnected() {
      isConnected = false;
      cancel();
    },
    async flush() {
      if (inFlight !== null) await inFlight;
      if (isConnected && !isStopped && dueMs !== null) await send();
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
