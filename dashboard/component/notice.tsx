import type { ComponentChildren } from 'preact';
import type { Problem } from '../api/problem.ts';
import type { Stale } from '../live/feed.ts';
import { retryWords, staleWords } from '../live/stale-words.ts';
import { useNow } from '../live/use-live.ts';

/** What a part of a page says when it has nothing to show: loading, empty, or why not. */
export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what} …
    </p>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

export function ProblemNotice({ problem, retry }: { problem: Problem; retry?: Retry | null }) {
  return (
    <div class="problem" role="alert">
      <p>{problem.sentence}</p>
      {problem.errors.length > 0 && (
        <ul>
          {problem.errors.map((error) => (
            <li key={error.pointer + error.message}>
              <code>{error.pointer}</code> {error.message}
            </li>
          ))}
        </ul>
      )}
      <p class="soft">
        {problem.code}
        {problem.requestId !== null && `, request ${problem.requestId}`}
      </p>
      {retry != null && <NextTry {...retry} />}
    </div>
  );
}

type Retry = { readonly retryAtMs: number | null; readonly onRetry: () => void };

/** When it is tried again by itself, and the button for those who will not wait. */
export function NextTry({ retryAtMs, onRetry }: Retry) {
  const nowMs = useNow(1_000);
  return (
    <p class="next-try">
      <button type="button" onClick={onRetry}>
        Try again
      </button>
      <span class="soft" aria-hidden="true">
        {retryWords(retryAtMs, nowMs)}
      </span>
    </p>
  );
}

/** Says what a feed says: loading at first, why there is nothing, or that it is no longer fresh. */
export function FeedNotice(props: {
  live: { value: unknown; problem: Problem | null; stale: Stale | null; refresh: () => void };
  what: string;
}) {
  const { live, what } = props;
  const { problem, stale, refresh } = live;
  if (problem === null || stale === null) {
    return live.value === null ? <Loading what={what} /> : null;
  }
  const retry = { retryAtMs: stale.retryAtMs, onRetry: refresh };
  if (live.value === null) return <ProblemNotice problem={problem} retry={retry} />;
  return <StaleNotice stale={stale} problem={problem} onRetry={refresh} />;
}

/** The figures beside it are those of an earlier answer: since when, why, and what happens now. */
function StaleNotice(props: { stale: Stale; problem: Problem; onRetry: () => void }) {
  const { stale, problem, onRetry } = props;
  const nowMs = useNow(1_000);
  return (
    <div class="stale-note">
      <p>
        <b>{staleWords(stale.answeredAtMs, nowMs)}</b> {problem.sentence}
      </p>
      <NextTry retryAtMs={stale.retryAtMs} onRetry={onRetry} />
    </div>
  );
}
