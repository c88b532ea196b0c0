import { createPoolCells } from '../../adapters/dynamodb/fleet/pool-cells.ts';
import { ProblemError } from '../../core/contract/problem.ts';
import type { JobCells } from '../../core/jobs/job-cells.ts';
import type { TokenCaller } from '../../core/model/caller.ts';
import type { Cell } from '../../core/model/cell.ts';
import { isFinal, type JobState } from '../../core/model/job.ts';
import type { CellId, JobId } from '../../core/model/names.ts';
import type { StoredJob } from '../../core/model/stored-job.ts';
import type { JobChange, JobChanges, JobsStore } from '../../core/ports/jobs.ts';
import { withNewJob } from '../../core/scheduler/short-pass.ts';
import type { Answer, Call } from '../../lambdas/api/http/call.ts';
import { cancelChunks } from '../../lambdas/api/jobs/cancel-chunks.ts';
import { cancelJob } from '../../lambdas/api/jobs/cancel-job.ts';
import type { JobsWriteDeps } from '../../lambdas/api/jobs/change/write-ports.ts';
import { patchJob } from '../../lambdas/api/jobs/patch-job.ts';
import { putJob } from '../../lambdas/api/jobs/put-job.ts';
import { retryJob } from '../../lambdas/api/jobs/retry-job.ts';
import { submitJob } from '../../lambdas/api/jobs/submit-job.ts';
import { submitJobs } from '../../lambdas/api/jobs/submit-jobs.ts';
import { restartJob } from '../../lambdas/api/services/restart-job.ts';
import { rollbackJob } from '../../lambdas/api/services/rollback-job.ts';
import { stopChunk } from '../../lambdas/api/services/stop-instance.ts';
import type { Stores } from '../contract/stored-ports.ts';
import { createMemoryFiles } from '../memory/files.ts';
import type { Bug } from './bugs/bugs.ts';
import { attempt } from './checks/truth.ts';
import type { Faults } from './faults.ts';
import { InjectedFault, type Invocation, invoke } from './invocation.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { ShortPasses } from './short-passes.ts';
import { storesThrough } from './table/simulated-stores.ts';
import type { SimulatedTable } from './table/simulated-table.ts';
import type { StoredView } from './table/stored-view.ts';
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
  readonly table: SimulatedTable;
  readonly stored: StoredView;
  /** On the table as it is, at once. */
  readonly stores: Stores;
  readonly bug: Bug | null;
  readonly isUp: () => boolean;
  /** How jobs are placed at once; `null` in a world in which the stream does that. */
  readonly shortPasses: ((call: Invocation['call']) => ShortPasses) | null;
  readonly defect: (error: unknown) => void;
  /** Before anything of it is stored. */
  readonly planned: (job: StoredJob) => void;
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
  /** The job's state at the moment of the change. */
  readonly stateBefore: JobState | null;
  /** Cells whose version the change has raised. */
  readonly overtaken: ReadonlySet<CellId>;
};

const operations = {
  submitJob,
  submitJobs,
  putJob,
  patchJob,
  cancelJob,
  cancelChunks,
  retryJob,
  rollbackJob,
  restartJob,
  stopChunk,
};

export type ApiRequest = {
  readonly operation: keyof typeof operations;
  readonly id?: string;
  readonly chunk?: number;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
};

export type ApiAnswer =
  | Answer
  | { readonly status: number; readonly body?: undefined; readonly code: ProblemError['code'] };

const caller: TokenCaller = {
  kind: 'token',
  id: 'user',
  name: 'user',
  scopes: ['fleet:admin'],
  pool: null,
  queue: null,
  edge: null,
  edges: null,
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
        if (error instanceof ProblemError) answer = { status: error.status, code: error.code };
        else defect(error);
      }
    });
    return ending !== 'done' || random.chance(faults().loseAnswer) ? null : answer;
  }

  #callOf({ operation, id, chunk, query, headers, body }: ApiRequest): Call {
    return {
      requestId: `request-${++this.#requests}`,
      method: operation,
      path: `/v1/jobs/${id ?? ''}`,
      params: {
        ...(id !== undefined && { id }),
        ...(chunk !== undefined && { chunk: `${chunk}` }),
      },
      query: query ?? {},
      repeated: {},
      headers: { authorization: 'Bearer user', ...headers },
      body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
      caller,
      nowMs: this.#world.timeline.nowMs,
    };
  }

  #deps(call: Invocation['call'], request: ApiRequest): JobsWriteDeps {
    const { table, random } = this.#world;
    const stores = storesThrough(table, call);
    const passes = this.#world.shortPasses?.(call) ?? null;
    return {
      jobs: this.#jobs(stores.jobs),
      changes: this.#changes(request, stores.changes, call, passes),
      ...(passes === null ? {} : { placing: passes.deps }),
      edges: stores.edges,
      cells: through(call, 'pool', this.#cells),
      idempotency: stores.idempotency,
      random,
      outputs: { removeAll: async () => {} },
      files: createMemoryFiles(),
      allowsLoopback: false,
      results: { removeAll: async () => {} },
      audit: stores.audit,
    };
  }

  #jobs(jobs: JobsStore): JobsStore {
    const sees = this.#world.bug?.sees;
    if (sees === undefined) return jobs;
    return {
      ...jobs,
      find: async (id) => {
        const found = await jobs.find(id);
        return found === null ? null : sees(found);
      },
    };
  }

  #changes(
    request: ApiRequest,
    changes: JobChanges,
    call: Invocation['call'],
    passes: ShortPasses | null,
  ): JobChanges {
    let known: JobCells = new Map();
    return {
      ...changes,
      cellsOf: async (job) => {
        await this.#dawdle(job.id);
        known = await changes.cellsOf(job);
        return known;
      },
      create: (...args) => call('job create', () => this.#create(...args)),
      createMany: (...args) => this.#createMany(changes, args),
      createPlaced: (...args) => call('job placed', () => this.#createPlaced(passes!, args)),
      commit: async (...args) => {
        await this.#dawdle(args[0].id);
        return call('job commit', () => this.#commit(args, { request, known }));
      },
    };
  }

  /**
   * While a change is decided the job goes on: here mostly until it has just ended. Nobody does so
   * while everything is stopped: a table is restored after the last request.
   */
  async #dawdle(id: JobId): Promise<void> {
    const { faults, stored, timeline, isUp } = this.#world;
    const untilMs = timeline.nowMs + faults().dawdleMsMax;
    const mayWait = () => isUp() && !isFinal(stored.jobs.get(id)?.status?.state ?? 'done');
    while (timeline.nowMs < untilMs && mayWait()) await timeline.pause(200, 'dawdle');
  }

  async #create(...[creation, ...others]: Parameters<JobChanges['create']>) {
    const { stores, bug, planned, created, defect } = this.#world;
    planned(creation.job);
    const outcome = await stores.changes.create(bug?.creates?.(creation) ?? creation, ...others);
    if (outcome === 'created') attempt(() => created(creation.job), defect);
    return outcome;
  }

  /** In several calls to the world: any of them may be the last that the function does. */
  async #createMany(
    changes: JobChanges,
    [decided, kept, audits]: Parameters<JobChanges['createMany']>,
  ) {
    const { bug, planned, created, stored, defect } = this.#world;
    for (const { job } of decided) planned(job);
    const jobs = bug?.createsMany?.(decided) ?? decided;
    const outcome = await changes.createMany(jobs, kept, audits.slice(0, jobs.length));
    for (const { job } of jobs) {
      if (outcome === 'created' && stored.jobs.has(job.id)) attempt(() => created(job), defect);
    }
    return outcome;
  }

  async #createPlaced(
    passes: ShortPasses,
    [decided, plan, ...others]: Parameters<JobChanges['createPlaced']>,
  ) {
    const { stores, bug, created, defect } = this.#world;
    const creation = bug?.creates?.(decided) ?? decided;
    this.#world.planned(creation.job);
    const bring = (cell: Cell) => withNewJob(cell, creation);
    const outcome = await passes.commit(plan, bring, (it) =>
      stores.changes.createPlaced(creation, it, ...others),
    );
    if (outcome === 'created') attempt(() => created(creation.job), defect);
    return outcome;
  }

  async #commit(
    [decided, trace]: Parameters<JobChanges['commit']>,
    asked: Pick<ChangeDone, 'request' | 'known'>,
  ): Promise<'changed' | 'conflict'> {
    const { stored, stores, bug, changed, defect } = this.#world;
    const { job: before, status } = stored.jobs.get(decided.id) ?? { job: null, status: null };
    // A table that was restored meanwhile may not know the job.
    if (before === null) return stores.changes.commit(decided, trace);
    const stateBefore = status?.state ?? null;
    const change = bug?.changes?.(decided, before) ?? decided;
    const versions = versionsOf(stored);
    const outcome = stores.changes.commit(change, trace);
    const after = stored.jobs.get(decided.id)!.job!;
    const now = versionsOf(stored);
    const overtaken = new Set([...now.keys()].filter((it) => now.get(it) !== versions.get(it)));
    if ((await outcome) === 'conflict') return 'conflict';
    const done = { ...asked, change: decided, before, stateBefore, after, overtaken };
    attempt(() => changed(done), defect);
    return 'changed';
  }
}

function versionsOf(stored: StoredView): ReadonlyMap<CellId, number> {
  return new Map([...stored.cells].map(([id, { meta }]) => [id, meta.version]));
}
