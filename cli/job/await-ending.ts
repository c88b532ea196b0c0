import type { Rest } from '../client/live-rest.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { pollFirstMs, pollMsMax, unreachableMsMax } from '../limits.ts';
import { progressBar } from '../output/progress-bar.ts';
import type { Terminal } from '../terminal.ts';

/**
 * Waits for a job, or for a jobspec, with a bar. It is asked for ever less often, up to once a
 * second. What ends the wait is in the exit code, so that a script needs nothing else.
 */
export type Awaited<T> = {
  readonly look: () => Promise<T>;
  /** `null`: it goes on. */
  readonly codeOf: (found: T) => ExitCode | null;
  readonly percentOf: (found: T) => number;
  readonly barText: (found: T) => string;
  /** Why the wait is over although it goes on; `null`: nobody answered. */
  readonly tooLong: (found: T | null) => Failure;
  readonly interrupted: () => Failure;
  /** Where word comes that something has happened. */
  readonly live?: Rest;
};

export async function awaitEnding<T>(
  terminal: Terminal,
  limitMs: number,
  { look, codeOf, percentOf, barText, tooLong, interrupted, live }: Awaited<T>,
): Promise<{ readonly found: T; readonly code: ExitCode }> {
  const bar = progressBar(terminal);
  const patience = patienceOf(terminal);
  const startMs = terminal.nowMs();
  let pauseMs = pollFirstMs;
  try {
    for (;;) {
      const found = await patience.ask(look);
      if (found !== null) {
        const code = codeOf(found);
        if (code !== null) return { found, code };
        bar.draw(percentOf(found), barText(found));
      } else bar.clear();
      const leftMs = limitMs - (terminal.nowMs() - startMs);
      if (leftMs <= 0) throw tooLong(found);
      await (live === undefined
        ? terminal.sleep(Math.min(pauseMs, leftMs))
        : live.rest(Math.min(pauseMs, leftMs), leftMs));
      if (terminal.interrupted.aborted) throw interrupted();
      pauseMs = Math.min(pollMsMax, pauseMs * 1.5);
    }
  } finally {
    bar.clear();
    live?.close();
  }
}

/**
 * An API that is away for a moment does not end a wait of hours: `null` for no answer, until it has
 * been away too long. What it refuses is refused at once.
 */
export function patienceOf(terminal: Terminal) {
  let awaySinceMs: number | null = null;
  return {
    async ask<T>(look: () => Promise<T>): Promise<T | null> {
      try {
        const answer = await look();
        if (awaySinceMs !== null) terminal.say('It answers again.');
        awaySinceMs = null;
        return answer;
      } catch (error) {
        // Who waits says what goes on; that a request was cut off is no news.
        if (terminal.interrupted.aborted) return null;
        const passing = error instanceof Failure && error.code === exitCode.failure;
        if (!passing) throw error;
        if (awaySinceMs === null) terminal.say(`${error.message} Still asking; the job goes on.`);
        awaySinceMs ??= terminal.nowMs();
        if (terminal.nowMs() - awaySinceMs >= unreachableMsMax) throw error;
        return null;
      }
    },
  };
}
