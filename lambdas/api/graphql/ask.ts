import { routes } from '../../../core/contract/routes.ts';
import { checkAccess } from '../http/access.ts';
import type { Context, Operation } from '../operation.ts';
import type { Ports } from '../ports.ts';

/** Everything that the operations behind the graph need. */
export type GraphDeps = Pick<
  Ports,
  | 'jobs'
  | 'changes'
  | 'stats'
  | 'cellStore'
  | 'pools'
  | 'cells'
  | 'edges'
  | 'audit'
  | 'idempotency'
  | 'outputs'
  | 'random'
>;

/** What a field asks an operation with. */
export type Asked<I> = {
  /** The edge it is about, where REST has it in the path. */
  readonly edge?: string;
  /** Reads the input; refuses arguments as REST refuses what it is sent. */
  readonly input: () => I;
};

export type Ask = <I, O>(operation: Operation<I, O, GraphDeps>, asked: Asked<I>) => Promise<O>;

/**
 * The graph is another way to the same operations: the access that the route asks for, then the
 * input, then the operation, as over REST. What REST would answer with an error is an error of that
 * field.
 */
export function askFor(context: Context, deps: GraphDeps): Ask {
  return async (operation, { edge = null, input }) => {
    const route = routes.find((it) => it.operation === operation.name);
    if (route === undefined || route.access === null) {
      throw new Error(`the graph knows no operation ${operation.name}`);
    }
    checkAccess(route, context.caller, edge);
    return operation.run(input(), context, deps);
  };
}
