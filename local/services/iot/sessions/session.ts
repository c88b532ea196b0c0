/** A persistent session as it is held in memory; the file has the same, row by row. */
import type { WaitingMessage } from './store.ts';

/** A message that waits; with a number while it is on its way to the client. */
export type Waiting = WaitingMessage & { messageId?: number | undefined };

export type Session = {
  readonly clientId: string;
  readonly filters: Map<string, number>;
  waiting: Waiting[];
  /** Set while the client is away. */
  leftAtMs: number | undefined;
  timer?: NodeJS.Timeout;
};
