import type { Clock, EdgeRemovals, Timers } from '../../core/ports/timers.ts';

type Message = { readonly body: string; readonly dueAtMs: number };

/** Messages that come later, in memory. */
export type MemoryQueue = {
  readonly messages: Message[];
  /** Bodies that have come by now, each once. */
  receive(): string[];
};

export function createMemoryQueue(clock: Clock): MemoryQueue {
  const messages: Message[] = [];
  return {
    messages,
    receive() {
      const nowMs = clock.nowMs();
      const due = messages.filter(({ dueAtMs }) => dueAtMs <= nowMs);
      for (const message of due) messages.splice(messages.indexOf(message), 1);
      return due.map(({ body }) => body);
    },
  };
}

/** A look that comes no later than another of its cell stands for both. */
export function createMemoryTimers(queue: MemoryQueue): Timers {
  return {
    async lookAgain(cell, atMs) {
      const body = JSON.stringify({ cell });
      const isComing = queue.messages.some((it) => it.body === body && it.dueAtMs <= atMs);
      if (!isComing) queue.messages.push({ body, dueAtMs: atMs });
    },
  };
}

export function createMemoryRemovals(queue: MemoryQueue, clock: Clock): EdgeRemovals {
  return {
    async lookAt(edge, tries, delaySeconds) {
      const body = JSON.stringify({ edge, tries });
      queue.messages.push({ body, dueAtMs: clock.nowMs() + delaySeconds * 1_000 });
    },
  };
}
