/**
 * Announces that a table was written, so that readers of its stream look at once and can rest
 * otherwise. It is a hint: a write that nobody announced is found at the next regular look.
 */
export type WriteSignal = {
  /** Counts the announcements for a table. */
  count(tableName: string): number;
  announce(tableName: string): void;
  /** Resolves at the next announcement after `seen`, or after `idleMs`. */
  wait(tableName: string, seen: number, idleMs: number): Promise<void>;
  close(): void;
};

export function writeSignal(): WriteSignal {
  const counts = new Map<string, number>();
  const waiting = new Map<string, Set<() => void>>();
  const wake = (tableName: string): void => {
    const set = waiting.get(tableName);
    if (set === undefined) return;
    waiting.delete(tableName);
    for (const resolve of set) resolve();
  };
  return {
    count: (tableName) => counts.get(tableName) ?? 0,
    announce: (tableName) => {
      counts.set(tableName, (counts.get(tableName) ?? 0) + 1);
      wake(tableName);
    },
    wait: (tableName, seen, idleMs) => {
      if ((counts.get(tableName) ?? 0) !== seen) return Promise.resolve();
      return new Promise((resolve) => {
        const set = waiting.get(tableName) ?? new Set();
        waiting.set(tableName, set);
        const done = (): void => {
          clearTimeout(timer);
          set.delete(done);
          resolve();
        };
        const timer = setTimeout(done, idleMs);
        set.add(done);
      });
    },
    close: () => {
      for (const tableName of [...waiting.keys()]) wake(tableName);
    },
  };
}
