import type { ProgressReport } from '../protocol/progress-report.ts';
import type { CellEdge, EdgeReport, Poll } from './cell.ts';
import { contactMarkMs, missedPollsMax, pollSecondsDefault } from './limits.ts';

/**
 * Whether an edge is there. Over MQTT its broker says so, and a report that came after the broker
 * called it gone proves the contrary. Over HTTPS nobody notices when an edge goes: it is judged by
 * its last contact of any kind, and by how often it said that it would ask.
 *
 * A report that says goodbye ends its presence, whichever way it came, until the next connection or
 * the next report.
 */
export type Contact = {
  readonly progress: ProgressReport | null;
  readonly version: number;
  readonly receivedAtMs: number;
  /** The last report came over HTTPS. */
  readonly overHttps: boolean;
  /** What the broker said last. */
  readonly connected: boolean;
  readonly connectionVersion: number;
  readonly connectionAtMs: number;
};

export function edgeReportOf(contact: Contact): EdgeReport {
  const { progress, version, receivedAtMs, connectionVersion } = contact;
  const proven = receivedAtMs > contact.connectionAtMs;
  const left = proven && progress?.goodbye === true;
  const connected = !left && (contact.connected || proven);
  const isPolling = connected && proven && contact.overHttps && !contact.connected;
  const fromReport = left || (proven && !contact.connected);
  return {
    progress,
    version,
    receivedAtMs,
    connected,
    connectionVersion,
    connectionAtMs: fromReport ? receivedAtMs : contact.connectionAtMs,
    ...(isPolling && { poll: pollOf(contact) }),
  };
}

function pollOf({ progress, receivedAtMs }: Contact): Poll {
  const seconds = progress?.pollSeconds ?? pollSecondsDefault;
  return { contactAtMs: receivedAtMs, everyMs: seconds * 1000 };
}

/** It asked for its work since: that keeps an edge that polls, and makes none of another. */
export function polledAt(report: EdgeReport | null, atMs: number): EdgeReport | null {
  const poll = report?.poll;
  if (report === null || poll === undefined || atMs <= poll.contactAtMs) return report;
  return { ...report, poll: { ...poll, contactAtMs: atMs } };
}

/** Silence that says nothing yet: polls may fail, and a contact is not written down at once. */
export function silenceMsMax({ everyMs }: Poll): number {
  return missedPollsMax * everyMs + contactMarkMs;
}

/** The edge as it is now: one that polls and was silent for too long is not connected any more. */
export function presentAt<E extends Pick<CellEdge, 'report'>>(edge: E, nowMs: number): E {
  const { report } = edge;
  if (report?.poll === undefined || !report.connected) return edge;
  const { contactAtMs } = report.poll;
  if (nowMs < contactAtMs + silenceMsMax(report.poll)) return edge;
  return { ...edge, report: { ...report, connected: false, connectionAtMs: contactAtMs } };
}

/** When it last said anything. */
export function lastSeenAtMs(report: EdgeReport | null): number {
  if (report === null) return 0;
  const { receivedAtMs, connectionAtMs, poll } = report;
  return Math.max(receivedAtMs, connectionAtMs, poll?.contactAtMs ?? 0);
}
