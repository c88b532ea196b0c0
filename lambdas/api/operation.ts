import type { Caller } from '../../core/model/caller.ts';
import { type Answer, type Call, callerOf, type Handler } from './http/call.ts';

/** Who asks, when, and under which request: what an operation knows besides its input. */
export type Context = {
  readonly caller: Caller;
  readonly nowMs: number;
  readonly requestId: string;
};

/**
 * What the API can do, apart from how it is asked: typed input in, an outcome out. Whatever a
 * caller may not see is left out by `run`, which is the same for REST and for the graph; whether
 * the caller may ask at all is said by `http/access.ts` before.
 */
export type Operation<I, O, D> = {
  /** As the table of routes has it. */
  readonly name: string;
  readonly run: (input: I, context: Context, deps: D) => Promise<O>;
  /** Over REST. */
  readonly handle: Handler<D>;
};

type Definition<I, O, D> = Pick<Operation<I, O, D>, 'name' | 'run'> & {
  /** The input that a request asks with; refuses one that makes no sense. */
  readonly read: (call: Call) => I;
  readonly answer: (outcome: O, call: Call, deps: D) => Answer | Promise<Answer>;
};

export function defineOperation<I, O, D>(definition: Definition<I, O, D>): Operation<I, O, D> {
  const { name, read, run, answer } = definition;
  return {
    name,
    run,
    handle: async (call, deps) => {
      const outcome = await run(read(call), contextOf(call), deps);
      return answer(outcome, call, deps);
    },
  };
}

/** The context of a call on a route that asks for a caller. */
export function contextOf(call: Call): Context {
  return { caller: callerOf(call), nowMs: call.nowMs, requestId: call.requestId };
}
