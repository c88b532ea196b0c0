import { ProblemError } from '../../../core/contract/problem.ts';
import type { CellId, EdgeName } from '../../../core/model/names.ts';
import type { ControlPlaneApi } from '../../../edge-agent/link/control-plane-api.ts';
import { acceptOffers, releaseWork } from '../../../lambdas/api/clusters/accept-offers.ts';
import { listOffers } from '../../../lambdas/api/clusters/list-offers.ts';
import type { Answer, Call } from '../../../lambdas/api/http/call.ts';
import type { PassDeps } from '../../../lambdas/workers/schedule/run-pass.ts';
import type { Stores } from '../../contract/stored-ports.ts';
import { InjectedFault, type Invocation } from '../invocation.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { silentLog } from './silent-log.ts';

/**
 * Offers, accepts and releases as an edge that takes its work by itself makes them: the shipped
 * operations. Some requests are made twice at the same moment, as two programs of one cluster do,
 * and some of what was taken is given back.
 */
export type Taking = Pick<ControlPlaneApi, 'listOffers' | 'acceptOffers'>;

/** What one invocation of the function has. */
export type TakingDeps = Pick<Stores, 'edges' | 'jobs' | 'inventory' | 'idempotency'> & {
  readonly cellStore: Stores['cells'];
  readonly passes: PassDeps;
};

/** All jobs here are submitted as jobs. */
const noSubmissions = { find: () => Promise.resolve(null) };

export type TakingWorld = {
  readonly random: SeededRandom;
  readonly nowMs: () => number;
  /** One request: travels there, runs there, and travels back. */
  readonly request: (run: (call: Invocation['call']) => Promise<Answer>) => Promise<Answer['body']>;
  readonly deps: (call: Invocation['call']) => TakingDeps;
  readonly defect: (error: unknown) => void;
  /** The planted bug of an accept that takes whatever is there. */
  readonly takesAll: boolean;
};

export function takingApi(world: TakingWorld, edge: EdgeName, cell: CellId): Taking {
  const { random } = world;
  const call = (query: Call['query'], body: object | null): Call => ({
    requestId: 'edge',
    method: body === null ? 'GET' : 'POST',
    path: `/v1/edges/${edge}`,
    params: { name: edge },
    query,
    repeated: {},
    headers: {},
    body: Buffer.from(body === null ? '' : JSON.stringify(body)),
    caller: { kind: 'edge', edge, cell, tokenHash: edge },
    nowMs: world.nowMs(),
  });
  type Operation = {
    handle(
      call: Call,
      deps: Parameters<typeof acceptOffers.handle>[1] & Parameters<typeof listOffers.handle>[1],
    ): Promise<Answer>;
  };
  const ask = (operation: Operation, query: Call['query'], body: object | null) =>
    world.request(async (invoked) => {
      try {
        const clock = { nowMs: world.nowMs };
        const deps = { ...world.deps(invoked), clock, log: silentLog, submissions: noSubmissions };
        return await operation.handle(call(query, body), deps);
      } catch (error) {
        const isExpected = error instanceof InjectedFault || error instanceof ProblemError;
        if (!isExpected) world.defect(error);
        throw error;
      }
    });
  return {
    async listOffers(_secret, _edge, max) {
      const query = { max: String(max), limit: String(max), fits: 'some' };
      const answer = (await ask(listOffers, query, null)) as Offered;
      return (answer.items ?? []).map(({ id }) => id);
    },
    async acceptOffers(_secret, _edge, jobs) {
      const accept = () => ask(acceptOffers, {}, { jobs, fits: !world.takesAll });
      const both = random.chance(0.25) ? [accept(), accept()] : [accept()];
      const [first] = await Promise.allSettled(both);
      if (first!.status === 'rejected') throw first!.reason;
      if (random.chance(0.1)) await ask(releaseWork, {}, { jobs: jobs.slice(0, 1) });
    },
  };
}

type Offered = { readonly items?: readonly { readonly id: string }[] };
