import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { pauseMs } from './pace.ts';

/**
 * What is asked for before there is a client, until it is there: `null` is asked for again after
 * pauses that double, or at once when somebody presses the button.
 */
export type Retried<T> = {
  readonly value: T | null;
  /** When the next try is; `null` before the first has failed. */
  readonly retryAtMs: number | null;
  retry(): void;
};

export function useRetried<T>(load: () => Promise<T | null>, key: string): Retried<T> {
  const [value, setValue] = useState<T | null>(null);
  const [retryAtMs, setRetryAtMs] = useState<number | null>(null);
  const again = useRef<() => void>(() => {});
  useEffect(() => {
    let left = false;
    let failures = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const turn = async () => {
      clearTimeout(timer);
      const loaded = await load();
      if (left) return;
      setValue(loaded);
      if (loaded !== null) return;
      failures++;
      const pace = { everyMs: 0, costMs: 0, failures, retryAfterMs: null, random: Math.random() };
      const waitMs = pauseMs(pace);
      setRetryAtMs(Date.now() + waitMs);
      timer = setTimeout(() => void turn(), waitMs);
    };
    again.current = () => void turn();
    void turn();
    return () => {
      left = true;
      clearTimeout(timer);
    };
    // The loader is a new function each time but depends on nothing else than the key.
  }, [key]);
  const retry = useCallback(() => again.current(), []);
  return { value, retryAtMs, retry };
}
