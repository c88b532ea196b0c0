import type { Answer } from '../api/client.ts';
import type { Problem } from '../api/problem.ts';
import { connection, setConnection } from './connection.ts';
import { pauseMs } from './pace.ts';

/**
 * One thing that is kept fresh while somebody looks at it. States: loading → pausing → loading → …
 * → stopped.
 *
 * Pauses for as long as the page is hidden and loads at once when it is shown again. Never has two
 * requests under way. Keeps the last good value through failures, so a page that lost its network
 * still shows what it knew, and says so.
 */
export type Live<T> = {
  readonly value: T | null;
  readonly problem: Problem | null;
  readonly loaded: boolean;
};

export type FeedOptions<T> = {
  readonly everyMs: number;
  readonly load: (show: (partial: T) => void) => Promise<Answer<T>>;
  readonly show: (live: Live<T>) => void;
};

export class Feed<T> {
  readonly #options: FeedOptions<T>;
  #live: Live<T> = { value: null, problem: null, loaded: false };
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;
  #loading = false;
  #again = false;

  constructor(options: FeedOptions<T>) {
    this.#options = options;
    document.addEventListener('visibilitychange', this.#onVisibility);
    addEventListener('online', this.refresh);
    this.refresh();
  }

  readonly refresh = (): void => {
    void this.#turn();
  };

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    document.removeEventListener('visibilitychange', this.#onVisibility);
    removeEventListener('online', this.refresh);
  }

  readonly #onVisibility = (): void => {
    if (document.hidden) clearTimeout(this.#timer);
    else this.refresh();
  };

  async #turn(): Promise<void> {
    if (this.#loading) {
      this.#again = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#loading = true;
    const startedAt = performance.now();
    const firstTime = this.#live.value === null;
    const answer = await this.#options.load((partial) => {
      if (firstTime) this.#show({ value: partial, problem: null, loaded: true });
    });
    this.#loading = false;
    if (this.#stopped) return;
    this.#failures = answer.ok ? 0 : this.#failures + 1;
    const waitMs = pauseMs({
      everyMs: this.#options.everyMs,
      costMs: performance.now() - startedAt,
      failures: this.#failures,
      retryAfterMs: answer.ok ? null : answer.problem.retryAfterMs,
      random: Math.random(),
    });
    this.#note(answer, waitMs);
    if (this.#again) {
      this.#again = false;
      this.refresh();
    } else if (!document.hidden) {
      this.#timer = setTimeout(this.refresh, waitMs);
    }
  }

  #note(answer: Answer<T>, waitMs: number): void {
    const now = Date.now();
    if (answer.ok) {
      setConnection({ state: 'live', sentence: null, heardAtMs: now, retryAtMs: null });
      this.#show({ value: answer.value, problem: null, loaded: true });
      return;
    }
    const { problem } = answer;
    if (problem.kind === 'offline' || problem.kind === 'slow' || problem.kind === 'busy') {
      const state = problem.kind === 'offline' ? 'offline' : 'slow';
      const { heardAtMs } = connection();
      setConnection({ state, sentence: problem.sentence, heardAtMs, retryAtMs: now + waitMs });
    }
    this.#show({ value: this.#live.value, problem, loaded: true });
  }

  #show(next: Live<T>): void {
    const { value, problem, loaded } = this.#live;
    const same = next.value === value && next.problem === problem && next.loaded === loaded;
    if (this.#stopped || same) return;
    this.#live = next;
    this.#options.show(next);
  }
}
