/**
 * The AWS SDK as a shape: what its commands take and answer, read from the types of its own
 * packages. What stands in for one of them (`*-client.ts`) is written against this, so that an
 * operation that the SDK does not have, or an input that it would refuse, does not compile. Only
 * types come from the SDK, and of types nothing is left in a bundle.
 */
export type OperationOf<S> = string &
  keyof { [K in keyof S as K extends `${infer N}Command` ? N : never]: true };

export type InputOf<S, N extends string> =
  S extends Record<`${N}Command`, new (input: infer I extends object) => unknown> ? I : never;

export type OutputOf<S, N extends string> =
  S extends Record<`${N}Command`, new (input: never) => Resolving<infer O>> ? O : never;

/** Where a command of the SDK says what it answers. */
type Resolving<O> = {
  resolveMiddleware(...to: never): (args: never) => Promise<{ output: O }>;
};

/** A request before it is sent. */
export type Command<Operation extends string, Input, Output> = {
  readonly operation: Operation;
  readonly input: Input;
  /** Only a type: what the client answers. */
  readonly answers?: Output;
};

/** `new QueryCommand({ … })`, as the SDK's. */
export type CommandClass<S, N extends OperationOf<S>> = new (
  input: InputOf<S, N>,
) => Command<N, InputOf<S, N>, OutputOf<S, N>>;

/** Gives the class of an operation's commands: `commandsOf<typeof Sdk>()('Query')`. */
export function commandsOf<S>() {
  return <N extends OperationOf<S>>(operation: N): CommandClass<S, N> =>
    class {
      readonly operation = operation;
      readonly input: InputOf<S, N>;

      constructor(input: InputOf<S, N>) {
        this.input = input;
      }
    };
}
