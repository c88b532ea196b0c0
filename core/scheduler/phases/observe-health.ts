import { tickEveryMs, ticksMissedMax } from '../../model/limits.ts';
import { lookAgain, type Pass } from '../pass/draft.ts';

/**
 * The control plane looks at itself before it judges edges. The minute tick is its pulse: while too
 * many beats are missing no edge is called lost, and when the pulse comes back every grace counts
 * from then. A cell without jobs is not ticked, so the first job after a quiet time starts the
 * pulse instead of proving an outage.
 */
export function observeHealth(pass: Pass): void {
  const { cell, nowMs } = pass;
  const before = cell.meta.health;
  const quiet = cell.meta.summary.jobs === 0;
  if (quiet) {
    if (pass.jobs.size > 0 && before.tickAtMs !== null) {
      pass.health = { ...before, tickAtMs: Math.max(before.tickAtMs, nowMs) };
    }
    return;
  }
  const gapMaxMs = ticksMissedMax * tickEveryMs;
  const tickAtMs = cell.tickAtMs;
  if (tickAtMs !== null && (before.tickAtMs === null || tickAtMs > before.tickAtMs)) {
    const gapMs = before.tickAtMs === null ? 0 : tickAtMs - before.tickAtMs;
    const healthySinceMs = gapMs > gapMaxMs ? tickAtMs : before.healthySinceMs;
    pass.health = { ...before, tickAtMs, healthySinceMs };
  }
  const pulseAtMs = pass.health.tickAtMs;
  pass.verdictsAllowed = pulseAtMs === null || nowMs - pulseAtMs <= gapMaxMs;
  if (!pass.verdictsAllowed) lookAgain(pass, nowMs + tickEveryMs);
}
