import type { Answer } from '../api/client.ts';
import type { Problem } from '../api/problem.ts';
import { connection, setConnection } from './connection.ts';
import { pauseMs } from './pace.ts';

/**
 * One thing that is kept fresh while somebody looks at it: load, wait, load again.
 *
 * Stops while the page is hidden and loads at once when it is shown again. Never has two requests under way. Keeps the
 * last good value through failures, so a page that lost its network still shows what it knew, and says so.
 */
export type Live<T> = {
  readonly value: T | null;
  readonly problem: Problem | null;
  readonly loaded: boolean;
};

export type Feed = { refresh(): void; stop(): void };

export type FeedOptions<T> = {
  readonly everyMs: number;
  readonly load: (show: (partial: T) => void) => Promise<Answer<T>>;
  readonly show: (live: Live<T>) => void;
};

export function startFeed<T>(options: FeedOptions<T>): Feed {
  let live: Live<T> = { value: null, problem: null, loaded: false };
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let loading = false;
  let again = false;

  function show(next: Live<T>): void {
    const same =
      next.value === live.value && next.problem === live.problem && next.loaded === live.loaded;
    if (stopped || same) return;
    live = next;
    options.show(live);
  }

  function note(answer: Answer<T>, waitMs: number): void {
    const now = Date.now();
    if (answer.ok) {
      setConnection({ state: 'live', sentence: null, heardAtMs: now, retryAtMs: null });
      show({ value: answer.value, problem: null, loaded: true });
      return;
    }
    const { problem } = answer;
    const unheard =
      problem.kind === 'offline' || problem.kind === 'slow' || problem.kind === 'busy';
    if (unheard) {
      const state = problem.kind === 'offline' ? 'offline' : 'slow';
      const { heardAtMs } = connection();
      setConnection({ state, sentence: problem.sentence, heardAtMs, retryAtMs: now + waitMs });
    }
    show({ value: live.value, problem, loaded: true });
  }

  async function turn(): Promise<void> {
    if (loading) {
      again = true;
      return;
    }
    clearTimeout(timer);
    loading = true;
    const startedAt = performance.now();
    const firstTime = live.value === null;
    const answer = await options.load((partial) => {
      if (firstTime) show({ value: partial, problem: null, loaded: true });
    });
    loading = false;
    if (stopped) return;
    failures = answer.ok ? 0 : failures + 1;
    const waitMs = pauseMs({
      everyMs: options.everyMs,
      costMs: performance.now() - startedAt,
      failures,
      retryAfterMs: answer.ok ? null : answer.problem.retryAfterMs,
      random: Math.random(),
    });
    note(answer, waitMs);
    if (again) {
      again = false;
      void turn();
    } else if (!document.hidden) {
      timer = setTimeout(() => void turn(), waitMs);
    }
  }

  function onVisibility(): void {
    if (document.hidden) clearTimeout(timer);
    else void turn();
  }

  const onOnline = () => void turn();
  document.addEventListener('visibilitychange', onVisibility);
  addEventListener('online', onOnline);
  void turn();
  return {
    refresh: () => void turn(),
    stop() {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisibility);
      removeEventListener('online', onOnline);
    },
  };
}
