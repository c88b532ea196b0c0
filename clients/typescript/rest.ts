import { liveAfterMs, liveAnswerShare, pollFirstMs, pollMsMax } from './limits.ts';

type News = { readonly items: readonly unknown[]; readonly cursor: string };

export type RestPorts = {
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** What happened behind a cursor, waited for so long; `null` where that is not to be had. */
  readonly news: (after: string, waitSeconds: number) => Promise<News | null>;
  /** The longest of such requests. */
  readonly secondsMax: number;
};

/**
 * The pause between two looks at something: short ones, ever longer; of what lasts, until something
 * has happened to it. Where events are not to be had it stays with pauses. What counts is what is
 * looked at, so an event that is missed costs a pause. Answers `false` when there is no time left
 * for one.
 */
export function restBetweenLooks({ nowMs, sleep, news, secondsMax }: RestPorts) {
  const startMs = nowMs();
  let pauseMs = pollFirstMs;
  // What happened before the first cursor is seen by the look that follows.
  let after: string | null = 'now';

  async function listen(cursor: string, leftMs: number): Promise<string | null> {
    const longest = Math.min(secondsMax, Math.floor(leftMs / 1_000));
    const waitSeconds = cursor === 'now' ? 0 : longest;
    const askedMs = nowMs();
    const answer = await news(cursor, waitSeconds);
    const isShort = nowMs() - askedMs < waitSeconds * 1_000 * liveAnswerShare;
    // What does not wait would be asked without end.
    return answer === null || (answer.items.length === 0 && isShort) ? null : answer.cursor;
  }

  return async (leftMs: number): Promise<boolean> => {
    if (after !== null && nowMs() - startMs >= liveAfterMs && leftMs >= 1_000) {
      after = await listen(after, leftMs);
      return true;
    }
    if (pauseMs > leftMs) return false;
    await sleep(pauseMs);
    pauseMs = Math.min(pauseMs * 1.5, pollMsMax);
    return true;
  };
}
