/**
 * How far a shard is handled. Lanes finish out of order; the checkpoint is the last record before
 * the first unfinished one, so a restart repeats some records and never leaves one out.
 */
import type { StateStore } from '../../../../engine/state-store.ts';

export type Ticket = {
  readonly sequence: string;
  isDone: boolean;
};

export type Checkpoint = {
  readonly sequence: string | undefined;
  /** Records read and not yet passed by the checkpoint. */
  readonly pending: number;
  open(sequence: string): Ticket;
  /** Marks records as handled (or given up) and moves the checkpoint if it can move. */
  finish(tickets: readonly Ticket[]): void;
  forget(): void;
};

export function checkpointOf(store: StateStore, key: string): Checkpoint {
  let sequence = store.get('checkpoint', key);
  let queue: Ticket[] = [];
  let head = 0;
  return {
    get sequence() {
      return sequence;
    },
    get pending() {
      return queue.length - head;
    },
    open: (next) => {
      const ticket = { sequence: next, isDone: false };
      queue.push(ticket);
      return ticket;
    },
    finish: (tickets) => {
      for (const ticket of tickets) ticket.isDone = true;
      const before = head;
      let at = queue[head];
      while (at?.isDone === true) {
        sequence = at.sequence;
        head += 1;
        at = queue[head];
      }
      if (head === before || sequence === undefined) return;
      store.put('checkpoint', key, sequence);
      if (head > 1_000) {
        queue = queue.slice(head);
        head = 0;
      }
    },
    forget: () => {
      sequence = undefined;
      store.remove('checkpoint', key);
    },
  };
}
