import type { Facts } from '../../core/protocol/facts.ts';
import type { ProgressReportJson } from '../../core/protocol/progress-report.ts';

/**
 * The way to the cloud, whichever it is: work comes in, reports and facts go out.
 * A link reconnects by itself for ever; only a verdict that the edge is not wanted ends it.
 */
export type Link = {
  start(): void;
  /** One at a time: the next report is given when the one before was answered. */
  report(document: ProgressReportJson): Promise<ReportAnswer>;
  publishFacts(facts: Facts): Promise<boolean>;
  /** Another agent uses the same identity: contacts are few as long as that is so. */
  giveWay(mustGiveWay: boolean): void;
  stop(): Promise<void>;
};

/** `unanswered`: nobody knows whether it arrived, so it has to be sent again. */
export type ReportAnswer = 'accepted' | 'rejected' | 'unanswered';

export type LinkEvents = {
  /**
   * A whole work document. `isCurrent`: it is the answer to a question and so may also take
   * everything away.
   */
  work(document: unknown, isCurrent: boolean): void;
  connected(): void;
  disconnected(reason: string): void;
  /** A try to connect came to nothing; the next one follows by itself. */
  notConnected?(reason: string): void;
  /** The control plane does not know this edge any more: nothing will come of trying again. */
  revoked(reason: string): void;
};
