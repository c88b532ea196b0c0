import type { ProgressReport } from '../protocol/progress-report.ts';
import {
  crashingStarts,
  crashingWithinMs,
  doubledKeptMs,
  startReturnsWithinMs,
  startsRememberedMax,
} from './limits.ts';

/**
 * The starts of agents with the identity of one edge. A start that was replaced never comes back:
 * one that does is a second agent with a copy of the identity, and both run whatever the edge is
 * given.
 *
 * A late message of an earlier start is no return: sequences grow over restarts, so it is below
 * what was applied since. A late message may make the start after it look like one, once; two
 * returns within a while are believed.
 */
export type Starts = {
  /** Before the one that reported last, the latest first. */
  readonly earlier: readonly string[];
  readonly returnedAtMs: number | null;
  /** The last return of a doubled identity; 0 when that is over, `null` when it never was. */
  readonly doubledAtMs: number | null;
  /** When the last ones were noticed, the latest first; those that came back not among them. */
  readonly noticedAtMs?: readonly number[];
};

type Seen = { readonly boot: string; readonly acknowledgedSequence: number | null };

/** After a report of another start than the one before. */
export function nextStarts(
  starts: Starts | undefined,
  before: Seen,
  progress: Pick<ProgressReport, 'boot' | 'sequence'>,
  nowMs: number,
): Starts {
  const { earlier, returnedAtMs, doubledAtMs, noticedAtMs = [] } = starts ?? noStarts;
  const others = [before.boot, ...earlier].filter((boot) => boot !== progress.boot);
  const known = { earlier: others.slice(0, startsRememberedMax), returnedAtMs, doubledAtMs };
  const isNew = !earlier.includes(progress.boot);
  const times = isNew ? [nowMs, ...noticedAtMs].slice(0, crashingStarts) : noticedAtMs;
  const kept = { ...known, noticedAtMs: times };
  if (isNew || isLate(before, progress)) return kept;
  const isSecond = returnedAtMs !== null && nowMs - returnedAtMs < startReturnsWithinMs;
  return { ...kept, returnedAtMs: nowMs, doubledAtMs: isSecond ? nowMs : doubledAtMs };
}

/** Its agent was started anew so often within a few minutes that something ends it. */
export function isCrashing(starts: Starts | undefined, nowMs: number): boolean {
  const firstAtMs = starts?.noticedAtMs?.[crashingStarts - 1];
  return firstAtMs !== undefined && nowMs - firstAtMs < crashingWithinMs;
}

const noStarts: Starts = { earlier: [], returnedAtMs: null, doubledAtMs: null };

function isLate({ acknowledgedSequence }: Seen, { sequence }: Pick<ProgressReport, 'sequence'>) {
  return sequence !== null && sequence <= (acknowledgedSequence ?? -1);
}

/** Two agents work with the identity of this edge, or did a moment ago. */
export function isDoubled(starts: Starts | undefined): boolean {
  return (starts?.doubledAtMs ?? 0) > 0;
}

/** When it is believed that only one is left, if nothing happens; `null` while there is but one. */
export function doubledUntilMs(starts: Starts | undefined): number | null {
  return isDoubled(starts) ? starts!.doubledAtMs! + doubledKeptMs : null;
}
