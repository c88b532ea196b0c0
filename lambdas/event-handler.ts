import middy from '@middy/core';
import type { RequestLog } from './log.ts';

/** A batch answer: which records come back. */
export type BatchAnswer = { batchItemFailures: { itemIdentifier: string }[] };

/**
 * Wraps what a function does with what every function needs: its lines carry the id of the request,
 * and a failure is logged with its cause before Lambda hears of it. Nothing else happens here; what
 * is done with an event is in the function itself.
 */
export function eventHandler<E, R>(log: RequestLog, work: (event: E) => Promise<R>) {
  return middy<E, R>({ timeoutEarlyInMillis: 0 })
    .before(({ context }) => log.begin(context.awsRequestId))
    .onError(({ error }) => {
      log.error('the invocation failed', { error });
    })
    .handler((event: E) => work(event));
}

export function batchAnswer(failed: Iterable<string>): BatchAnswer {
  return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) };
}

/** `null` for a body that is not JSON; no handler takes it for an event. */
export function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
