/**
 * Asynchronous invocations: accepted into the state, so that a killed local cloud does not lose an
 * event, then tried until one succeeds or the tries are used up and the event goes to the
 * function's dead-letter queue.
 */
import { randomUUID } from 'node:crypto';
import { lambdaAsyncRetriesMax, lambdaAsyncRetryDelayMs } from '../limits.ts';
import type { StateStore } from '../state/store.ts';
import type { FunctionDefinition, InvocationOutcome } from './definition.ts';

export interface AsyncInvocations {
  accept(definition: FunctionDefinition, payload: Buffer): void;
  /** Takes up what an earlier local cloud had accepted. */
  resume(): void;
  close(): void;
}

export interface AsyncInvocationsOptions {
  store: StateStore;
  find(functionName: string): FunctionDefinition | undefined;
  invoke(definition: FunctionDefinition, payload: Buffer): Promise<InvocationOutcome>;
  deadLetter(targetArn: string, body: string): Promise<void>;
}

interface Later {
  readonly id: string;
  readonly functionName: string;
  readonly payload: string;
}

export function asyncInvocations(options: AsyncInvocationsOptions): AsyncInvocations {
  const { store } = options;
  let isClosed = false;
  const handle = async (later: Later): Promise<void> => {
    const definition = options.find(later.functionName);
    if (definition === undefined) return store.remove('async', later.id);
    const payload = Buffer.from(later.payload);
    for (let failures = 0; failures <= lambdaAsyncRetriesMax && !isClosed; ) {
      const outcome = await options.invoke(definition, payload);
      if (outcome.kind === 'ok') return store.remove('async', later.id);
      await pause(lambdaAsyncRetryDelayMs[failures] ?? 0);
      // A throttled event is not a failed attempt: Lambda keeps it for hours.
      if (outcome.kind === 'failed') failures += 1;
    }
    if (isClosed) return;
    const { deadLetterArn } = definition;
    if (deadLetterArn !== undefined) await options.deadLetter(deadLetterArn, later.payload);
    store.remove('async', later.id);
  };
  return {
    accept: (definition, payload) => {
      const functionName = definition.name;
      const later: Later = { id: randomUUID(), functionName, payload: payload.toString() };
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

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
