import type { Answer } from '../api/client.ts';
import type { Problem } from '../api/problem.ts';
import { type ConnectionNote, forgetConnection, noteConnection } from './connection.ts';
import { pauseMs } from './pace.ts';

/**
 * One thing that is kept fresh while somebody looks at it. States: loading → pausing → loading → …
 * → stopped.
 *
 * Pauses for as long as the page is hidden and loads at once when it is shown again. Never has two
 * requests under way. Keeps the last good value through failures, so a page that lost its network
 * still shows what it knew, and says so. Never gives up: after every failure there is a next try,
 * and when the API answers one feed again, those that wait for it try at once.
 */
export type Live<T> = {
  readonly value: T | null;
  readonly problem: Problem | null;
  readonly loaded: boolean;
  /** Since the last answer was no good: when one was, and when the next try is. */
  readonly stale: Stale | null;
};

export type Stale = { readonly answeredAtMs: number | null; readonly retryAtMs: number };

export type FeedOptions<T> = {
  readonly everyMs: number;
  /** What does not change is asked for until there is an answer, and never again. */
  readonly once?: boolean;
  readonly load: (show: (partial: T) => void) => Promise<Answer<T>>;
  readonly show: (live: Live<T>) => void;
};

/** Feeds whose last try failed. */
const waiting = new Set<{ refresh(): void }>();

export class Feed<T> {
  readonly #options: FeedOptions<T>;
  #live: Live<T> = { value: null, problem: null, loaded: false, stale: null };
  #answeredAtMs: number | null = null;
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
    waiting.delete(this);
    forgetConnection(this);
    clearTimeout(this.#timer);
    document.removeEventListener('visibilitychange', this.#onVisibility);
    removeEventListener('online', this.refresh);
  }

  readonly #onVisibility = (): void => {
    if (document.hidden) clearTimeout(this.#timer);
    else this.refresh();
  };

  #isComplete(): boolean {
    return this.#options.once === true && this.#live.value !== null;
  }

  async #turn(): Promise<void> {
    if (this.#stopped || this.#isComplete()) return;
    if (this.#loading) {
      this.#again = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#loading = true;
    const startedAt = performance.now();
    const firstTime = this.#live.value === null;
    const answer = await this.#options.load((partial) => {
      if (firstTime) this.#show({ value: partial, problem: null, loaded: true, stale: null });
    });
    this.#loading = false;
    if (this.#stopped) return;
    const isBack = answer.ok && this.#failures > 0;
    this.#failures = answer.ok ? 0 : this.#failures + 1;
    const waitMs = pauseMs({
      everyMs: this.#options.everyMs,
      costMs: performance.now() - startedAt,
      failures: this.#failures,
      retryAfterMs: answer.ok ? null : answer.problem.retryAfterMs,
      random: Math.random(),
    });
    this.#note(answer, waitMs);
    if (isBack) for (const feed of [...waiting]) feed.refresh();
    if (this.#again) {
      this.#again = false;
      this.refresh();
    } else if (!document.hidden && !this.#isComplete()) {
      this.#timer = setTimeout(this.refresh, waitMs);
    }
  }

  #note(answer: Answer<T>, waitMs: number): void {
    const now = Date.now();
    if (answer.ok) {
      waiting.delete(this);
      this.#answeredAtMs = now;
      noteConnection(this, { state: 'live', sentence: null, retryAtMs: null }, now);
      this.#show({ value: answer.value, problem: null, loaded: true, stale: null });
      return;
    }
    const { problem } = answer;
    const retryAtMs = now + waitMs;
    waiting.add(this);
    noteConnection(this, noteOf(problem, retryAtMs), null);
    const stale = { answeredAtMs: this.#answeredAtMs, retryAtMs };
    this.#show({ value: this.#live.value, problem, loaded: true, stale });
  }

  #show(next: Live<T>): void {
    const { value, problem, loaded, stale } = this.#live;
    const same = next.value === value && next.problem === problem && next.loaded === loaded;
    if (this.#stopped || (same && next.stale === stale)) return;
    this.#live = next;
    this.#options.show(next);
  }
}

/** A refusal is an answer: the API is there, and the part of the page says what it refused. */
function noteOf({ kind, sentence }: Problem, retryAtMs: number): ConnectionNote {
  if (kind !== 'offline' && kind !== 'slow' && kind !== 'busy') {
    return { state: 'live', sentence: null, retryAtMs: null };
  }
  return { state: kind === 'offline' ? 'offline' : 'slow', sentence, retryAtMs };
}
