import type { IdempotencyStore, IdempotentRequest } from '../../core/ports/idempotency.ts';
import type { Stored } from './stored.ts';

/** First answers in memory. Who lost a key to another request changes nothing of it any more. */
export function createMemoryIdempotency(stored: Stored): IdempotencyStore {
  const answers = stored.firstAnswers;
  const claimOf = (request: IdempotentRequest) => {
    const found = answers.get(answerKey(request));
    return found?.digest === request.digest ? found : undefined;
  };
  return {
    async find(request) {
      return answers.get(answerKey(request)) ?? null;
    },
    async claim(request, nowMs, staleMs) {
      const found = answers.get(answerKey(request));
      const hung = found?.answer === null && found.startedAtMs < nowMs - staleMs;
      if (found !== undefined && !hung) return false;
      const { digest } = request;
      answers.set(answerKey(request), { digest, startedAtMs: nowMs, answer: null });
      return true;
    },
    async finish(request, answer) {
      const found = claimOf(request);
      if (found?.answer === null) answers.set(answerKey(request), { ...found, answer });
    },
    async release(request) {
      if (claimOf(request)?.answer === null) answers.delete(answerKey(request));
    },
  };
}

export function answerKey({ owner, key }: IdempotentRequest): string {
  return JSON.stringify([owner, key]);
}
