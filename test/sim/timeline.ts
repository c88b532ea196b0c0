/** When every world begins. */
export const startMs = 1_700_000_000_000;

/**
 * The simulated clock: events in order of their time, then of their making. Nothing in the
 * simulation knows another time. After each event every promise that it settled has run to its next
 * wait, so an event is atomic to the others.
 */
export type Timeline = {
  readonly nowMs: number;
  /** Runs `event` after so many milliseconds; the answer cancels it. */
  after(delayMs: number, name: string, event: () => void | Promise<void>): () => void;
  /** A promise that is settled by the timeline, after so many milliseconds. */
  pause(delayMs: number, name: string): Promise<void>;
  /** Runs the next event; false when there is none. */
  step(): Promise<boolean>;
  readonly steps: number;
};

type Event = {
  atMs: number;
  order: number;
  name: string;
  run: () => void | Promise<void>;
  cancelled: boolean;
};

export function createTimeline(
  startMs: number,
  observe: (line: string) => void,
  failed: (error: unknown) => void,
): Timeline {
  const heap: Event[] = [];
  let nowMs = startMs;
  let order = 0;
  let steps = 0;

  const after = (delayMs: number, name: string, run: Event['run']) => {
    order += 1;
    const event = {
      atMs: nowMs + Math.max(0, Math.round(delayMs)),
      order,
      name,
      run,
      cancelled: false,
    };
    push(heap, event);
    return () => {
      event.cancelled = true;
    };
  };

  return {
    get nowMs() {
      return nowMs;
    },
    get steps() {
      return steps;
    },
    after,
    pause: (delayMs, name) =>
      new Promise((resolve) => {
        after(delayMs, name, resolve);
      }),
    step: async () => {
      let event = pop(heap);
      while (event?.cancelled) event = pop(heap);
      if (event === undefined) return false;
      nowMs = event.atMs;
      steps += 1;
      observe(`${nowMs} ${event.name}`);
      try {
        const running = event.run();
        if (running instanceof Promise) running.catch(failed);
      } catch (error) {
        failed(error);
      }
      await settled(steps);
      return true;
    },
  };
}

/** So many events are one turn of the event loop, in which whoever watches a run gets a word in. */
const stepsAtOnce = 1_000;

/**
 * All promises that can go on have gone on: what is asked for from within one is done when no other
 * is left. A turn of the event loop says the same, and takes longer than most events.
 */
function settled(step: number): Promise<void> {
  return new Promise((resolve) => {
    if (step % stepsAtOnce === 0) setImmediate(resolve);
    else process.nextTick(resolve);
  });
}

function before(a: Event, b: Event): boolean {
  return a.atMs !== b.atMs ? a.atMs < b.atMs : a.order < b.order;
}

function push(heap: Event[], event: Event): void {
  heap.push(event);
  let at = heap.length - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!before(heap[at]!, heap[parent]!)) break;
    [heap[at], heap[parent]] = [heap[parent]!, heap[at]!];
    at = parent;
  }
}

function pop(heap: Event[]): Event | undefined {
  const top = heap[0];
  const lastEvent = heap.pop();
  if (top === undefined || lastEvent === undefined || heap.length === 0) return top;
  heap[0] = lastEvent;
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    let least = at;
    if (left < heap.length && before(heap[left]!, heap[least]!)) least = left;
    if (left + 1 < heap.length && before(heap[left + 1]!, heap[least]!)) least = left + 1;
    if (least === at) return top;
    [heap[at], heap[least]] = [heap[least]!, heap[at]!];
    at = least;
  }
}
