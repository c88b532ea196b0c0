import type { Journal } from '../disk/journal.ts';
import type { Clock } from '../host/clock.ts';
import { contactWaitMs, contactWaitMsMax, startsWithoutContactMax } from '../limits.ts';
import type { EdgeDeps } from './edge-deps.ts';

/**
 * Starts of the agent in a row that ended before it and the control plane had met.
 * What it remembers starts at once, also without a link; but a chunk that takes its host down in a
 * moment would do so at each start, nobody would ever learn of it, and nobody could take it back.
 * So after a few of these nothing starts until the document has come and a report has arrived, or a
 * while is over, which is longer each time.
 */
export type StartCount = {
  /** Whether the edge may start what it holds: not before it has begun, nor once it ends. */
  mayStart(): boolean;
  /** What outlived the start before is known; `hasWork`: it remembers what it is to do. */
  begin(hasWork: boolean): void;
  /** Its document came, and holds; and a report of this start has arrived. */
  arrived(): void;
  reported(): void;
  /** It ends in order. */
  stopped(): void;
  count(): number;
  /** There were so many before this one that nothing started at once. */
  readonly isHeldBack: boolean;
};

type Deps = Pick<EdgeDeps, 'name' | 'log'> & {
  readonly clock: Pick<Clock, 'after'>;
  readonly journal: Pick<Journal, 'append' | 'sync'>;
};

export function countStarts(
  { name, clock, journal, log }: Deps,
  remembered: number,
  changed: () => void,
): StartCount {
  let state: 'new' | 'held' | 'open' | 'over' = 'new';
  let alone = remembered;
  let cancelWait = (): void => {};
  const missing = new Set(['work', 'report']);
  const note = (count: number): void => {
    if (count === alone) return;
    alone = count;
    journal.append({ k: 'start', e: name, n: count });
  };
  const open = (): void => {
    if (state !== 'held') return;
    state = 'open';
    cancelWait();
    changed();
  };
  const wait = (): void => {
    if (state !== 'held') return;
    const waitMs = waitMsOf(remembered);
    if (waitMs > 0) {
      log(
        `${name}: ended ${remembered} times in a row before it had contact; ` +
          `starts nothing for ${waitMs / 1_000} s, or until it has`,
        'warning',
      );
    }
    cancelWait = clock.after(waitMs, open);
  };
  const met = (what: string): void => {
    missing.delete(what);
    if (missing.size > 0) return;
    note(0);
    open();
  };
  return {
    mayStart: () => state === 'open',
    begin(hasWork) {
      state = hasWork ? 'held' : 'open';
      if (!hasWork) return;
      note(remembered + 1);
      // It counts only if it outlives a loss of power, which is what it is about.
      void journal.sync().then(wait);
    },
    arrived: () => met('work'),
    reported: () => met('report'),
    stopped() {
      note(0);
      cancelWait();
      state = 'over';
    },
    count: () => alone,
    isHeldBack: remembered >= startsWithoutContactMax,
  };
}

function waitMsOf(starts: number): number {
  if (starts < startsWithoutContactMax) return 0;
  return Math.min(
    contactWaitMs * 2 ** Math.min(starts - startsWithoutContactMax, 30),
    contactWaitMsMax,
  );
}
