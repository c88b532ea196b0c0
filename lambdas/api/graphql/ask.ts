import { ProblemError } from '../../../core/contract/problem.ts';
import { routes } from '../../../core/contract/routes.ts';
import { graphqlBudgetMs } from '../../../core/model/limits.ts';
import { checkAccess } from '../http/access.ts';
import type { Context, Operation } from '../operation.ts';
import type { Ports } from '../ports.ts';

/** What the operations need that only read. */
export type ReadDeps = Pick<
  Ports,
  'jobs' | 'stats' | 'cellStore' | 'pools' | 'cells' | 'edges' | 'clock'
>;

/** Everything that the operations behind the graph need. */
export type GraphDeps = ReadDeps &
  Pick<Ports, 'changes' | 'audit' | 'idempotency' | 'outputs' | 'files' | 'results' | 'random'> &
  Pick<Ports, 'allowsLoopback'>;

/** What a subscription reads, again and again. */
export type WatchDeps = ReadDeps & Pick<Ports, 'submissions' | 'inventory' | 'log'>;

/** What a field asks an operation with. */
export type Asked<I> = {
  /** The edge it is about, where REST has it in the path. */
  readonly edge?: string;
  /** Reads the input; refuses arguments as REST refuses what it is sent. */
  readonly input: () => I;
};

export type Ask<D = GraphDeps> = <I, O>(
  operation: Operation<I, O, D>,
  asked: Asked<I>,
) => Promise<O>;

const tooLong = `A query may take ${graphqlBudgetMs / 1_000} s. Ask for less at once.`;

/**
 * The graph is another way to the same operations: the access that the route asks for, then the
 * input, then the operation, as over REST. What REST would answer with an error is an error of that
 * field. A document whose time is over asks for nothing more.
 */
export function askFor<D extends Pick<Ports, 'clock'>>(context: Context, deps: D): Ask<D> {
  const endMs = context.nowMs + graphqlBudgetMs;
  return async (operation, { edge = null, input }) => {
    const route = routes.find((it) => it.operation === operation.name);
    if (route === undefined || route.access === null) {
      throw new Error(`the graph knows no operation ${operation.name}`);
    }
    checkAccess(route, context.caller, edge);
    if (deps.clock.nowMs() > endMs) throw new ProblemError('temporarily-unavailable', tooLong);
    return operation.run(input(), context, deps);
  };
}
