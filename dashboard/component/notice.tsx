import type { ComponentChildren } from 'preact';
import type { Problem } from '../api/problem.ts';

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

export function ProblemNotice({ problem, retry }: { problem: Problem; retry?: () => void }) {
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
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Says what a feed says: loading at first, its problem when there is nothing to show instead. */
export function FeedNotice(props: {
  live: { value: unknown; problem: Problem | null; loaded: boolean; refresh: () => void };
  what: string;
}) {
  const { live, what } = props;
  if (live.value !== null) return null;
  if (live.problem !== null) return <ProblemNotice problem={live.problem} retry={live.refresh} />;
  return <Loading what={what} />;
}
