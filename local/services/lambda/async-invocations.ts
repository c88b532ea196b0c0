/**
 * Asynchronous invocations: accepted into the state, so that a killed local cloud does not lose an
 * event, then tried until one succeeds or the tries are used up and the event goes to the
 * function's dead-letter queue.
 */
import { randomUUID } from 'node:crypto';
import type { StateStore } from '../../engine/state-store.ts';
import { lambdaAsyncRetriesMax, lambdaAsyncRetryDelayMs } from '../../limits.ts';
import type { FunctionDefinition, InvocationOutcome, InvokeOptions } from './definition.ts';

export type AsyncInvocations = {
  accept(definition: FunctionDefinition, payload: Buffer, requestId?: string): void;
  /** Takes up what an earlier local cloud had accepted. */
  resume(): void;
  close(): void;
};

export type AsyncInvocationsOptions = {
  store: StateStore;
  find(functionName: string): FunctionDefinition | undefined;
  invoke(
    definition: FunctionDefinition,
    payload: Buffer,
    options: InvokeOptions,
  ): Promise<InvocationOutcome>;
  deadLetter(letter: DeadLetter): Promise<void>;
};

/**
 * An event that failed finally, as it goes to a dead-letter queue
 * (https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-dlq).
 */
export type DeadLetter = {
  readonly targetArn: string;
  readonly body: string;
  readonly requestId: string;
  readonly errorMessage: string;
};

type Later = {
  readonly id: string;
  readonly functionName: string;
  readonly payload: string;
};

export function asyncInvocations(options: AsyncInvocationsOptions): AsyncInvocations {
  const { store } = options;
  let isClosed = false;
  const handle = async (later: Later): Promise<void> => {
    const definition = options.find(later.functionName);
    if (definition === undefined) return store.remove('async', later.id);
    const payload = Buffer.from(later.payload);
    let errorMessage = 'Rate Exceeded.';
    // "When you set reserved concurrency to zero …, Lambda begins sending new events to the
    // configured dead-letter queue …, without any retries."
    const isBarred = definition.concurrencyReserved === 0;
    for (let failures = 0; failures <= lambdaAsyncRetriesMax && !isClosed && !isBarred; ) {
      const outcome = await options.invoke(definition, payload, { requestId: later.id });
      if (outcome.kind === 'ok') return store.remove('async', later.id);
      await pause(lambdaAsyncRetryDelayMs[failures] ?? 0);
      // A throttled event is not a failed attempt: Lambda keeps it for hours.
      if (outcome.kind !== 'failed') continue;
      failures += 1;
      errorMessage = messageIn(outcome.payload);
    }
    if (isClosed) return;
    const { deadLetterArn } = definition;
    if (deadLetterArn !== undefined) {
      const { id: requestId, payload: body } = later;
      await options.deadLetter({ targetArn: deadLetterArn, body, requestId, errorMessage });
    }
    store.remove('async', later.id);
  };
  return {
    accept: (definition, payload, requestId = randomUUID()) => {
      const functionName = definition.name;
      const later: Later = { id: requestId, functionName, payload: payload.toString() };
      store.put('async', later.id, JSON.stringify(later));
      void handle(later);
    },
    resume: () => {
      for (const { value } of store.list('async')) void handle(JSON.parse(value) as Later);
    },
    close: () => {
      isClosed = true;
    },
  };
}

/** "The first 1 KB of the error message." */
function messageIn(errorDocument: Buffer): string {
  const { errorMessage } = JSON.parse(errorDocument.toString()) as { errorMessage?: unknown };
  return String(errorMessage ?? '').slice(0, 1_024);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
