import { useNow } from '../live/use-live.ts';
import { agoWords, clockWords, durationWords, timeMs } from '../model/words.ts';

/** A time in words that keeps itself true. */
export function Ago({ at }: { at: string | null | undefined }) {
  const nowMs = useNow(1_000);
  return (
    <time dateTime={at ?? ''} title={clockWords(at)}>
      {agoWords(at, nowMs)}
    </time>
  );
}

/** How long something took, or has taken so far. */
export function Took({ from, to }: { from: string | null; to: string | null }) {
  const nowMs = useNow(1_000);
  const startMs = timeMs(from);
  if (startMs === null) return <span>not started</span>;
  return <span>{durationWords((timeMs(to) ?? nowMs) - startMs)}</span>;
}
