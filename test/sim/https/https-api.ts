import { ProblemError } from '../../../core/contract/problem.ts';
import type { PullConfig } from '../../../core/model/cell.ts';
import type { CellId, EdgeName, JobId } from '../../../core/model/names.ts';
import type { Inventory } from '../../../core/ports/inventory.ts';
import { httpTimeoutMs } from '../../../edge-agent/limits.ts';
import { ControlPlaneError } from '../../../edge-agent/link/control-plane-api.ts';
import { getWork } from '../../../lambdas/api/edge-link/get-work.ts';
import { putReport } from '../../../lambdas/api/edge-link/put-report.ts';
import type { Answer, Call } from '../../../lambdas/api/http/call.ts';
import type { PassDeps } from '../../../lambdas/workers/schedule/run-pass.ts';
import { createTableStores } from '../../contract/table-stores.ts';
import type { Bug } from '../bugs/bugs.ts';
import { Violation } from '../checks/truth.ts';
import type { SimulatedShadows } from '../edge/shadows.ts';
import type { HttpsCalls } from '../edge/simulated-edge.ts';
import type { Faults } from '../faults.ts';
import { type Invocation, invoke } from '../invocation.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { type SimulatedTable, tableThrough } from '../table/simulated-table.ts';
import type { Timeline } from '../timeline.ts';
import { silentLog } from './silent-log.ts';
import { type TakingDeps, takingApi } from './taking-api.ts';

/** How an edge reaches the control plane, and whether it takes its work by itself. */
export type Way = { readonly https: boolean; readonly pull: PullConfig | null };
export const overMqtt: Way = { https: false, pull: null };

/**
 * The API as an edge without MQTT meets it: the shipped operations, behind a network that loses and
 * delays requests and answers. Who gets no answer waits until the request times out.
 */
export type HttpsWorld = {
  readonly timeline: Timeline;
  readonly random: SeededRandom;
  readonly faults: () => Faults;
  readonly table: SimulatedTable;
  readonly shadows: () => SimulatedShadows;
  readonly bug: Bug | null;
  readonly isUp: () => boolean;
  /** Whether requests of this edge get through, and answers back. */
  readonly isReachable: (edge: EdgeName) => boolean;
  /** How what an edge takes by itself is committed, and judged. */
  readonly passes: (call: Invocation['call']) => PassDeps;
  readonly defect: (error: unknown) => void;
};

type Deps = Parameters<typeof getWork.handle>[1] & Parameters<typeof putReport.handle>[1];

export class HttpsApi {
  readonly #world: HttpsWorld;

  constructor(world: HttpsWorld) {
    this.#world = world;
  }

  /** `takes`: it takes its work by itself. */
  of(edge: EdgeName, cell: CellId, takes: boolean): HttpsCalls {
    const call = (body: unknown): Call => ({
      requestId: 'edge',
      method: body === null ? 'GET' : 'POST',
      path: `/v1/edges/${edge}`,
      params: { name: edge },
      query: {},
      repeated: {},
      headers: {},
      body: Buffer.from(body === null ? '' : JSON.stringify(body)),
      caller: { kind: 'edge', edge, cell, tokenHash: edge },
      nowMs: this.#world.timeline.nowMs,
    });
    return {
      getWork: () => this.#request(edge, (deps) => getWork.handle(call(null), deps)),
      postReport: (_secret, _edge, body) =>
        this.#request(edge, (deps) => putReport.handle(call(body), deps)),
      ...(takes ? this.#taking(edge, cell) : {}),
    };
  }

  #taking(edge: EdgeName, cell: CellId) {
    const { timeline, random, defect, bug } = this.#world;
    const world = {
      random,
      nowMs: () => timeline.nowMs,
      request: (run: (call: Invocation['call']) => Promise<Answer>) => this.#invoked(edge, run),
      deps: (call: Invocation['call']) => this.#takingDeps(call),
      defect,
      takesAll: bug?.taking?.takesAll === true,
    };
    return takingApi(world, edge, cell);
  }

  #takingDeps(call: Invocation['call']): TakingDeps {
    const { table, passes, bug, defect } = this.#world;
    const stores = createTableStores(tableThrough(table, call));
    /** Of these this request knows by now that their statuses have other authors. */
    const shared = new Set<JobId>();
    const own = passes(call);
    const planted = bug?.taking?.commit;
    const commit = async (plan: Parameters<typeof own.store.commit>[0]) => {
      const seen = planted === undefined ? null : await own.store.load(plan.meta!.id);
      const outcome = await own.store.commit(seen === null ? plan : planted!(plan, seen));
      if (typeof outcome !== 'object') return outcome;
      const again = outcome.shared.find((job) => shared.has(job));
      if (again !== undefined) {
        defect(new Violation(`what is taken writes the status of ${again}, as nobody may`));
      }
      for (const job of outcome.shared) shared.add(job);
      return bug?.taking?.ignoresShared ? 'conflict' : outcome;
    };
    return {
      ...stores,
      cellStore: stores.cells,
      passes: { ...own, store: { ...own.store, commit } },
    };
  }

  #request(edge: EdgeName, run: (deps: Deps) => Promise<Answer>): Promise<unknown> {
    return this.#invoked(edge, (call) => run(this.#deps(call)));
  }

  async #invoked(
    edge: EdgeName,
    run: (call: Invocation['call']) => Promise<Answer>,
  ): Promise<Answer['body']> {
    await this.#travel(edge);
    if (!this.#world.isUp()) throw refusal(503);
    let answer: Answer | null = null;
    let status = 500;
    await invoke(this.#world, async ({ call }) => {
      try {
        answer = await run(call);
      } catch (error) {
        if (error instanceof ProblemError) status = error.status;
        throw error;
      }
    });
    await this.#travel(edge);
    if (answer === null) throw refusal(status);
    return (answer as Answer).body;
  }

  async #travel(edge: EdgeName): Promise<void> {
    const { timeline, random, faults, isReachable } = this.#world;
    await timeline.pause(random.between(1, faults().delayMsMax), `${edge} https`);
    if (isReachable(edge) && !random.chance(faults().dropMessage)) return;
    await timeline.pause(httpTimeoutMs, `${edge} times out`);
    throw new ControlPlaneError('no answer', null, 'unreachable', null);
  }

  #deps(call: <T>(name: string, effect: () => T) => Promise<T>): Deps {
    const { table, shadows, bug } = this.#world;
    const { inventory } = createTableStores(tableThrough(table, call));
    return {
      inventory: bug?.answersUnstored === true ? unstored(inventory) : inventory,
      shadows: { readWork: (edge) => call('read shadow', () => shadows().readWork(edge)) },
      log: silentLog,
    };
  }
}

function unstored(inventory: Inventory): Inventory {
  return {
    ...inventory,
    store: async (cell, event) => (event.kind === 'prog' ? 'stored' : inventory.store(cell, event)),
  };
}

function refusal(status: number): ControlPlaneError {
  return new ControlPlaneError(`answered ${status}`, status, `http-${status}`, null);
}
