import { mayCall } from '../../../core/caller.ts';
import { ProblemError } from '../../../core/wire/problem.ts';
import { routes } from '../../../core/wire/routes.ts';
import { drainEdge } from '../edges/drain-edge.ts';
import { getEdge } from '../edges/get-edge.ts';
import { listEdges } from '../edges/list-edges.ts';
import { patchEdge } from '../edges/patch-edge.ts';
import type { Call, Handler } from '../http/call.ts';
import { getJob } from '../jobs-read/get-job.ts';
import { getStats } from '../jobs-read/get-stats.ts';
import { listExecutions } from '../jobs-read/list-executions.ts';
import { listJobs } from '../jobs-read/list-jobs.ts';
import { cancelJob } from '../jobs-write/cancel-job.ts';
import { submitJob } from '../jobs-write/submit-job.ts';
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

/**
 * The graph is another way to the same operations: each field calls the handler of its route, with
 * the same checks of scope, pool and body. What REST would answer with an error is an error of that
 * field.
 */
const handlers: Readonly<Record<string, Handler<GraphDeps>>> = {
  getJob,
  listJobs,
  listExecutions,
  getStats,
  getEdge,
  listEdges,
  patchEdge,
  drainEdge,
  submitJob,
  cancelJob,
};

export type Asked = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | null | undefined>>;
  readonly body?: unknown;
};

export type Invoked = { readonly body: unknown; readonly cursors: readonly string[] };
export type Invoke = (operation: keyof typeof handlers & string, asked: Asked) => Promise<Invoked>;

export function createInvoke(call: Call, deps: GraphDeps): Invoke {
  return async (operation, asked) => {
    const route = routes.find((it) => it.operation === operation);
    const handler = handlers[operation];
    if (route === undefined || route.access === null || handler === undefined) {
      throw new Error(`the graph knows no operation ${operation}`);
    }
    const params = asked.params ?? {};
    if (mayCall(call.caller, route.access, params.name ?? null) !== 'allowed') {
      throw new ProblemError('forbidden');
    }
    const { headers } = call;
    const kept = { authorization: headers.authorization ?? '' };
    const answer = await handler(
      {
        ...call,
        method: route.method,
        path: route.path,
        params,
        query: textsOf(asked.query ?? {}),
        repeated: {},
        headers: kept,
        body: Buffer.from(asked.body === undefined ? '' : JSON.stringify(asked.body)),
      },
      deps,
    );
    return { body: answer.body, cursors: answer.cursors ?? [] };
  };
}

function textsOf(query: NonNullable<Asked['query']>): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) out[name] = String(value);
  }
  return out;
}
