import { createPoolCells } from '../../adapters/dynamodb/fleet/pool-cells.ts';
import { ProblemError } from '../../core/contract/problem.ts';
import type { JobCells } from '../../core/jobs/job-cells.ts';
import type { TokenCaller } from '../../core/model/caller.ts';
import type { JobState } from '../../core/model/job.ts';
import { type CellId, parseJobId } from '../../core/model/names.ts';
import type { StoredJob } from '../../core/model/stored-job.ts';
import type { JobChange, JobChanges, JobsStore } from '../../core/ports/jobs.ts';
import type { Answer, Call } from '../../lambdas/api/http/call.ts';
import { cancelJob } from '../../lambdas/api/jobs/cancel-job.ts';
import type { JobsWriteDeps } from '../../lambdas/api/jobs/change/write-ports.ts';
import { patchJob } from '../../lambdas/api/jobs/patch-job.ts';
import { putJob } from '../../lambdas/api/jobs/put-job.ts';
import { retryJob } from '../../lambdas/api/jobs/retry-job.ts';
import { submitJob } from '../../lambdas/api/jobs/submit-job.ts';
import type { Stores } from '../contract/stored-ports.ts';
import type { Stored } from '../memory/stored.ts';
import type { Bug } from './bugs.ts';
import type { Faults } from './faults.ts';
import { InjectedFault, type Invocation, invoke } from './invocation.ts';
import type { SeededRandom } from './seeded-random.ts';
import { through } from './through.ts';
import type { Timeline } from './timeline.ts';

/**
 * The API as users of jobs meet it: the operations that are shipped, on stores in memory. A request
 * may fail anywhere in the middle, and its answer may be lost.
 */
export type ApiWorld = {
  readonly timeline: Timeline;
  readonly random: SeededRandom;
  readonly faults: () => Faults;
  readonly stored: Stored;
  readonly stores: Stores;
  readonly bug: Bug | null;
  readonly isUp: () => boolean;
  readonly defect: (error: unknown) => void;
  readonly created: (job: StoredJob) => void;
  readonly changed: (done: ChangeDone) => void;
};

/** A change of a user, as it was carried out. */
export type ChangeDone = {
  readonly request: ApiRequest;
  readonly change: JobChange;
  readonly before: StoredJob;
  readonly after: StoredJob;
  /** The cells as the request had read them. */
  readonly known: JobCells;
  /** The job's state when the request came. */
  readonly stateAsked: JobState | null;
  /** Cells whose version the change has raised. */
  readonly overtaken: ReadonlySet<CellId>;
};

const operations = { submitJob, putJob, patchJob, cancelJob, retryJob };

export type ApiRequest = {
  readonly operation: keyof typeof operations;
  readonly id?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
};

export type ApiAnswer = Answer | { readonly status: number; readonly body?: undefined };

const caller: TokenCaller = {
  kind: 'token',
  id: 'user',
  name: 'user',
  scopes: ['fleet:admin'],
  pool: null,
  queue: null,
  edge: null,
};

export class SimulatedApi {
  readonly #world: ApiWorld;
  /** Kept between requests, as a function does that stays warm. */
  readonly #cells;
  #requests = 0;

  constructor(world: ApiWorld) {
    this.#world = world;
    this.#cells = createPoolCells(world.stores.pools);
  }

  /** `null`: no answer came. */
  async request(request: ApiRequest): Promise<ApiAnswer | null> {
    const { isUp, defect, random, faults } = this.#world;
    if (!isUp()) return null;
    let answer: ApiAnswer | null = null;
    // Some requests are over before a pass that has just begun can commit.
    const isSwift = random.chance(0.5);
    const swift = { ...this.#world, faults: () => ({ ...faults(), callMsMax: 1 }) };
    const ending = await invoke(isSwift ? swift : this.#world, async ({ call }) => {
      try {
        const { handle } = operations[request.operation];
        answer = await handle(this.#callOf(request), this.#deps(call, request));
      } catch (error) {
        if (error instanceof InjectedFault) throw error;
        if (error instanceof ProblemError) answer = { status: error.status };
        else defect(error);
      }
    });
    return ending !== 'done' || random.chance(faults().loseAnswer) ? null : answer;
  }

  #callOf({ operation, id, headers, body }: ApiRequest): Call {
    return {
      requestId: `request-${++this.#requests}`,
      method: operation,
      path: `/v1/jobs/${id ?? ''}`,
      params: id === undefined ? {} : { id },
      query: {},
      repeated: {},
      headers: { authorization: 'Bearer user', ...headers },
      body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
      caller,
      nowMs: this.#world.timeline.nowMs,
    };
  }

  #deps(call: Invocation['call'], request: ApiRequest): JobsWriteDeps {
    const { stores, random } = this.#world;
    return {
      jobs: through(call, 'jobs', this.#jobs()),
      changes: through(call, 'changes', this.#changes(request)),
      edges: through(call, 'edges', stores.edges),
      cells: through(call, 'pool', this.#cells),
      idempotency: through(call, 'answers', stores.idempotency),
      random,
      outputs: { removeAll: async () => {} },
    };
  }

  #jobs(): JobsStore {
    const { stores, bug } = this.#world;
    const { jobs } = stores;
    const sees = bug?.sees;
    if (sees === undefined) return jobs;
    return {
      ...jobs,
      find: async (id) => {
        const found = await jobs.find(id);
        return found === null ? null : sees(found);
      },
    };
  }

  #changes(request: ApiRequest): JobChanges {
    const { stored, stores, bug, created, changed, defect } = this.#world;
    const { changes } = stores;
    let known: JobCells = new Map();
    const { id = null } = request;
    const parsed = id === null ? null : parseJobId(id);
    const stateAsked = parsed === null ? null : (stored.jobs.get(parsed)?.status?.state ?? null);
    return {
      ...changes,
      async cellsOf(job) {
        known = await changes.cellsOf(job);
        return known;
      },
      async create(creation, kept) {
        const outcome = await changes.create(bug?.creates?.(creation) ?? creation, kept);
        if (outcome === 'created') attempt(() => created(creation.job), defect);
        return outcome;
      },
      async commit(decided) {
        const before = stored.jobs.get(decided.id)!.job!;
        const change = bug?.changes?.(decided, before) ?? decided;
        const versions = versionsOf(stored);
        const outcome = changes.commit(change);
        const after = stored.jobs.get(decided.id)!.job!;
        const now = versionsOf(stored);
        const overtaken = new Set([...now.keys()].filter((it) => now.get(it) !== versions.get(it)));
        if ((await outcome) === 'conflict') return 'conflict';
        const done = { request, change: decided, before, after, known, stateAsked, overtaken };
        attempt(() => changed(done), defect);
        return 'changed';
      },
    };
  }
}

function versionsOf(stored: Stored): ReadonlyMap<CellId, number> {
  return new Map([...stored.cells].map(([id, { meta }]) => [id, meta.version]));
}

function attempt(run: () => void, defect: (error: unknown) => void): void {
  try {
    run();
  } catch (error) {
    defect(error);
  }
}
