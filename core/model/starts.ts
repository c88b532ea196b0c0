import type { ProgressReport } from '../protocol/progress-report.ts';
import { doubledKeptMs, startReturnsWithinMs, startsRememberedMax } from './limits.ts';

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
};

type Seen = { readonly boot: string; readonly acknowledgedSequence: number | null };

/** After a report of another start than the one before. */
export function nextStarts(
  starts: Starts | undefined,
  before: Seen,
  progress: Pick<ProgressReport, 'boot' | 'sequence'>,
  nowMs: number,
): Starts {
  const { earlier, returnedAtMs, doubledAtMs } = starts ?? noStarts;
  const others = [before.boot, ...earlier].filter((boot) => boot !== progress.boot);
  const kept = { earlier: others.slice(0, startsRememberedMax), returnedAtMs, doubledAtMs };
  if (!earlier.includes(progress.boot) || isLate(before, progress)) return kept;
  const isSecond = returnedAtMs !== null && nowMs - returnedAtMs < startReturnsWithinMs;
  return { ...kept, returnedAtMs: nowMs, doubledAtMs: isSecond ? nowMs : doubledAtMs };
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
