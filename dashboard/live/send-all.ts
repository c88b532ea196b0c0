import type { Answer } from '../api/client.ts';
import type { Problem } from '../api/problem.ts';
import { bulkAtOnceMax, bulkTriesMax } from '../limits.ts';
import { pauseMs } from './pace.ts';

/**
 * One request for each of many things, a few at a time. One that is refused stops none of the
 * others; one that the API had no time for is sent again a few times, for each of these requests
 * may come twice.
 */
export type SentAll<T> = {
  readonly done: number;
  readonly refused: readonly { readonly item: T; readonly problem: Problem }[];
};

export type SendAll<T> = {
  readonly items: readonly T[];
  readonly send: (item: T) => Promise<Answer<unknown>>;
  readonly onProgress: (ended: number) => void;
  readonly wait: (ms: number) => Promise<void>;
};

export async function sendAll<T>({ items, send, onProgress, wait }: SendAll<T>) {
  const left = [...items];
  const refused: { item: T; problem: Problem }[] = [];
  let ended = 0;

  async function sendOne(item: T): Promise<void> {
    for (let tries = 1; ; tries++) {
      const answer = await send(item);
      if (answer.ok) break;
      const { problem } = answer;
      const isRefusal = !['offline', 'slow', 'busy'].includes(problem.kind);
      if (isRefusal || tries === bulkTriesMax) {
        refused.push({ item, problem });
        break;
      }
      const { retryAfterMs } = problem;
      const pace = { everyMs: 0, costMs: 0, failures: tries, retryAfterMs, random: 0.5 };
      await wait(pauseMs(pace));
    }
    ended++;
    onProgress(ended);
  }

  async function work(): Promise<void> {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await sendOne(item);
  }

  await Promise.all(Array.from({ length: bulkAtOnceMax }, work));
  const sent: SentAll<T> = { done: ended - refused.length, refused };
  return sent;
}
