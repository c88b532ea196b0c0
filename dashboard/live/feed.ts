import type { Answer } from '../api/client.ts';
import type { Problem } from '../api/problem.ts';
import { type ChangePace, changePace, onChange } from './change-signal.ts';
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

/** Whether somebody sees the page. */
export type PageView = {
  readonly isHidden: () => boolean;
  /** It is hidden or shown; returns how to end that. */
  readonly onView: (listener: () => void) => () => void;
  readonly onOnline: (listener: () => void) => () => void;
};

export type FeedOptions<T> = {
  readonly view: PageView;
  readonly everyMs: number;
  /** What does not change is asked for until there is an answer, and never again. */
  readonly once?: boolean;
  /** What of it moves a figure that the page follows. */
  readonly notice?: 'all' | 'some' | 'nothing';
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
  #same = 0;
  #startedAtMs = 0;
  #isNoticed = false;
  readonly #endings: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;
  #loading = false;
  #again = false;

  constructor(options: FeedOptions<T>) {
    this.#options = options;
    const { view } = options;
    this.#endings.push(view.onView(this.#viewed), view.onOnline(this.refresh));
    if (this.#pace() !== null) this.#endings.push(onChange(this.#noticed));
    this.refresh();
  }

  readonly refresh = (): void => {
    void this.#turn();
  };

  stop(): void {
    this.#stopped = true;
    for (const end of this.#endings) end();
    waiting.delete(this);
    forgetConnection(this);
    clearTimeout(this.#timer);
  }

  /** `null`: it is in no figure. */
  #pace(): ChangePace | null {
    const { notice = 'nothing' } = this.#options;
    if (notice === 'nothing') return null;
    const pace = changePace();
    return notice === 'some' && pace === 'quiet' ? 'moving' : pace;
  }

  /** There may be something new: it is asked for, but no more often than without that. */
  readonly #noticed = (): void => {
    this.#same = 0;
    this.#isNoticed = true;
    if (this.#loading || this.#stopped || this.#options.view.isHidden() || this.#failures > 0)
      return;
    clearTimeout(this.#timer);
    const sinceMs = performance.now() - this.#startedAtMs;
    this.#timer = setTimeout(this.refresh, Math.max(0, this.#options.everyMs - sinceMs));
  };

  readonly #viewed = (): void => {
    if (this.#options.view.isHidden()) clearTimeout(this.#timer);
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
    this.#isNoticed = false;
    const startedAt = performance.now();
    this.#startedAtMs = startedAt;
    const firstTime = this.#live.value === null;
    const answer = await this.#options.load((partial) => {
      if (firstTime) this.#show({ value: partial, problem: null, loaded: true, stale: null });
    });
    this.#loading = false;
    if (this.#stopped) return;
    const isBack = answer.ok && this.#failures > 0;
    this.#failures = answer.ok ? 0 : this.#failures + 1;
    this.#same = answer.ok && answer.unchanged ? this.#same + 1 : 0;
    const waitMs = pauseMs({
      everyMs: this.#options.everyMs,
      changes: this.#isNoticed ? 'asking' : (this.#pace() ?? 'asking'),
      same: this.#same,
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
    } else if (!this.#options.view.isHidden() && !this.#isComplete()) {
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
