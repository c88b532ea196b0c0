import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import { isRecord } from '../../core/protocol/json.ts';
import type { Failure } from '../../core/protocol/progress-report.ts';
import type { ChunkDirectories } from '../chunk-directory/chunk-directories.ts';
import type { Clock } from '../host/clock.ts';
import type { Log } from '../host/log-lines.ts';
import { arrayTasksMax, clusterMissesMax, clusterPollMs, clusterPollMsMax } from '../limits.ts';
import {
  type ChunkEnd,
  type ChunkName,
  type ChunkOrder,
  type Executor,
  type ExecutorDeps,
  keyOf,
  nameOfKey,
  type PrintedOutput,
} from './executor.ts';
import { startFailed } from './launched-chunks.ts';

/**
 * A whole cluster behind its own scheduler is one edge: chunks are submitted in batches, followed
 * by asking now and then, and cancelled. This is what Slurm and Flux have in common;
 * `ClusterScheduler` is what each does its own way.
 *
 * A batch is written down before it is submitted, under a token that is part of its name in the
 * cluster, so that a batch whose submission was never answered is found again, and no chunk is in
 * the cluster twice.
 */
export type ClusterScheduler = {
  readonly name: 'slurm' | 'flux';
  /** A handle for each chunk, in order; throws with the scheduler's own words. */
  submit(batch: Batch): Promise<string[]>;
  /**
   * Handles of a batch that was perhaps submitted; `null`: the scheduler knows of none; throws
   * when it is away.
   */
  find(batch: Batch): Promise<string[] | null>;
  /** What is known of these; one that is missing is unknown. Throws when the scheduler is away. */
  poll(handles: readonly string[]): Promise<ReadonlyMap<string, TaskState>>;
  cancel(handles: readonly string[]): Promise<void>;
  /** Jobs of anybody that wait; `null` when the scheduler is away. */
  queued(): Promise<number | null>;
  /** The exit code that the chunk itself left, for schedulers that forget it. */
  exitCode(batch: Batch, index: number): number | null;
  /** The tail of what a chunk printed; asked once, and what it left is removed. */
  output(batch: Batch, index: number): PrintedOutput;
  /** All of it has ended. */
  forget(batch: Batch): void;
};

/** Chunks that were submitted together; the attempt and the power are the same for all. */
export type Batch = {
  readonly token: string;
  readonly chunks: readonly ChunkName[];
  readonly power: number;
  /** Only needed to submit. */
  readonly spec: AgentSpec | null;
  /** Of each chunk, in order; only needed to submit. */
  readonly directories: readonly string[];
};

export type TaskState = 'open' | { readonly failure: Failure | null } | 'cancelled';

type Task = {
  readonly name: ChunkName;
  readonly batch: Batch;
  readonly index: number;
  handle: string | null;
  isStopping: boolean;
  misses: number;
  readonly startedAtMs: number;
};

export type ClusterDeps = ExecutorDeps & {
  readonly clock: Clock;
  readonly log: Log;
  readonly directories: ChunkDirectories;
};

export function makeCluster(deps: ClusterDeps, scheduler: ClusterScheduler): Executor {
  return new ClusterExecutor(deps, scheduler);
}

class ClusterExecutor implements Executor {
  readonly name: 'slurm' | 'flux';
  readonly outlivesAgent = true;
  readonly #deps: ClusterDeps;
  readonly #scheduler: ClusterScheduler;
  readonly #tasks = new Map<string, Task>();
  #cancelPoll: () => void = () => {};
  #pollMs = clusterPollMs;
  #isPolling = false;
  #isClosed = false;
  #isResumed = false;

  constructor(deps: ClusterDeps, scheduler: ClusterScheduler) {
    this.name = scheduler.name;
    this.#deps = deps;
    this.#scheduler = scheduler;
  }

  start(orders: readonly ChunkOrder[]): void {
    const placed: PlacedOrder[] = [];
    for (const order of orders) {
      const directory = this.#deps.directories.make(order, 'chunk');
      if (directory !== null) placed.push({ order, directory });
      // Nothing of it has run, so nothing is said of it.
      else
        this.#deps.ended({ name: order, end: { kind: 'stopped' }, output: null, durationMs: null });
    }
    for (const batch of batchesOf(placed)) void this.#submit(batch);
  }

  stop(name: ChunkName): void {
    const task = this.#tasks.get(keyOf(name));
    if (task === undefined || task.isStopping) return;
    task.isStopping = true;
    // Without a handle it is being submitted; the poll after that cancels it.
    if (task.handle !== null) void this.#cancel([task.handle]);
    this.#pollMs = clusterPollMs;
  }

  /** Nothing is started before what an earlier life left was looked for. */
  async queued(): Promise<number | null> {
    if (!this.#isResumed) return null;
    return this.#scheduler.queued().catch(() => null);
  }

  async recover(edges: readonly string[]): Promise<ChunkName[]> {
    const survivors: ChunkName[] = [];
    for (const [token, text] of [...this.#deps.notes.all()]) {
      const noted = parseNote(token, text);
      const batch = noted?.batch;
      if (noted === null || batch === undefined) {
        this.#deps.notes.remove(token);
        continue;
      }
      const handles = noted.handles ?? (await this.#findPatiently(batch));
      if (handles === null) {
        this.#deps.notes.remove(token);
        continue;
      }
      this.#follow(batch, handles);
      for (const name of batch.chunks) {
        if (edges.includes(name.edge)) survivors.push(name);
        else this.stop(name);
      }
    }
    return survivors;
  }

  resume(): void {
    this.#isResumed = true;
    this.#pollSoon();
  }

  /** The cluster goes on without the agent; it is found again at the next start. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelPoll();
    return Promise.resolve();
  }

  async #submit(batch: Batch): Promise<void> {
    this.#follow(batch, null);
    this.#deps.notes.put(batch.token, formatNote(batch, null));
    try {
      const handles = await this.#scheduler.submit(batch);
      this.#deps.notes.put(batch.token, formatNote(batch, handles));
      batch.chunks.forEach((name, index) => {
        const task = this.#tasks.get(keyOf(name));
        if (task !== undefined) task.handle = handles[index] ?? null;
      });
      this.#pollSoon();
    } catch (error) {
      const failure = startFailed((error as Error).message);
      for (const name of batch.chunks) {
        const task = this.#tasks.get(keyOf(name));
        if (task !== undefined) this.#end(task, { kind: 'failed', failure });
      }
    }
  }

  #follow(batch: Batch, handles: readonly string[] | null): void {
    const startedAtMs = this.#deps.clock.monotonicMs();
    batch.chunks.forEach((name, index) => {
      const handle = handles?.[index] ?? null;
      const task = { name, batch, index, handle, isStopping: false, misses: 0, startedAtMs };
      this.#tasks.set(keyOf(name), task);
    });
  }

  /** A scheduler that is away at the start must not make its chunks run twice. */
  async #findPatiently(batch: Batch): Promise<string[] | null> {
    for (;;) {
      try {
        return await this.#scheduler.find(batch);
      } catch (error) {
        this.#deps.log(
          `${this.name} does not answer: ${(error as Error).message}. Trying on.`,
          'warning',
        );
      }
      if (this.#isClosed) return null;
      await new Promise<void>((resolve) => this.#deps.clock.after(clusterPollMsMax, resolve));
    }
  }

  #pollSoon(): void {
    this.#pollMs = clusterPollMs;
    this.#pollLater();
  }

  #pollLater(): void {
    this.#cancelPoll();
    if (this.#isClosed || this.#tasks.size === 0) return;
    this.#cancelPoll = this.#deps.clock.after(this.#pollMs, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      const tasks = [...this.#tasks.values()].filter(({ handle }) => handle !== null);
      const states = await this.#scheduler.poll(tasks.map(({ handle }) => handle!));
      if (this.#isClosed) return;
      let isChanged = false;
      for (const task of tasks)
        isChanged = this.#judge(task, states.get(task.handle!)) || isChanged;
      this.#pollMs = isChanged ? clusterPollMs : Math.min(clusterPollMsMax, this.#pollMs * 1.5);
    } catch {
      // A scheduler that is away says nothing about its chunks.
      this.#pollMs = Math.min(clusterPollMsMax, this.#pollMs * 2);
    } finally {
      this.#isPolling = false;
      this.#pollLater();
    }
  }

  #judge(task: Task, state: TaskState | undefined): boolean {
    if (state === 'open') {
      task.misses = 0;
      if (task.isStopping) void this.#cancel([task.handle!]);
      return false;
    }
    if (state === undefined) {
      task.misses += 1;
      if (task.misses < clusterMissesMax) return false;
      this.#end(task, { kind: 'failed', failure: `lost by ${this.name}` });
    } else if (state === 'cancelled') {
      const failure = `cancelled in ${this.name}`;
      this.#end(task, task.isStopping ? { kind: 'stopped' } : { kind: 'failed', failure });
    } else if (state.failure === null) {
      this.#end(task, { kind: 'done' });
    } else {
      const code = this.#scheduler.exitCode(task.batch, task.index);
      const failure = state.failure === 'failed' ? (code ?? 'failed') : state.failure;
      this.#end(task, { kind: 'failed', failure });
    }
    return true;
  }

  #end(task: Task, end: ChunkEnd): void {
    const key = keyOf(task.name);
    if (this.#tasks.get(key) !== task) return;
    const printed = this.#scheduler.output(task.batch, task.index);
    const durationMs = this.#deps.clock.monotonicMs() - task.startedAtMs;
    this.#tasks.delete(key);
    this.#deps.ended({ name: task.name, end, ...printed, durationMs });
    const isLast = !task.batch.chunks.some(
      (name) => this.#tasks.get(keyOf(name))?.batch === task.batch,
    );
    if (!isLast) return;
    this.#deps.notes.remove(task.batch.token);
    this.#scheduler.forget(task.batch);
  }

  async #cancel(handles: readonly string[]): Promise<void> {
    try {
      await this.#scheduler.cancel(handles);
    } catch {
      // The next poll finds it open and cancels it again.
    }
    this.#pollSoon();
  }
}

export function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, n]) => n === number)?.[0] ?? String(number);
}

type PlacedOrder = { readonly order: ChunkOrder; readonly directory: string };

function batchesOf(orders: readonly PlacedOrder[]): Batch[] {
  const alike = new Map<string, PlacedOrder[]>();
  // Chunks that run something of their own cannot be one array.
  const specs = new Map<AgentSpec, number>();
  for (const placed of orders) {
    const { edge, attempt, power, spec } = placed.order;
    const own = specs.get(spec) ?? specs.size;
    specs.set(spec, own);
    const key = `${edge}/${attempt}/${power}/${own}`;
    alike.set(key, [...(alike.get(key) ?? []), placed]);
  }
  const batches: Batch[] = [];
  for (const group of alike.values()) {
    for (let start = 0; start < group.length; start += arrayTasksMax) {
      const part = group.slice(start, start + arrayTasksMax);
      const { power, spec } = part[0]!.order;
      const chunks = part.map(({ order: { edge, job, chunk, attempt } }) => {
        return { edge, job, chunk, attempt };
      });
      const directories = part.map(({ directory }) => directory);
      const token = randomBytes(6).toString('hex');
      batches.push({ token, chunks, power, spec, directories });
    }
  }
  return batches;
}

function formatNote(batch: Batch, handles: readonly string[] | null): string {
  return JSON.stringify({ keys: batch.chunks.map(keyOf), power: batch.power, handles });
}

function parseNote(token: string, text: string): { batch: Batch; handles: string[] | null } | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value) || !Array.isArray(value.keys)) return null;
  const chunks = value.keys.map((key) => nameOfKey(String(key)));
  if (chunks.some((name) => name === null)) return null;
  const handles = Array.isArray(value.handles) ? value.handles.map(String) : null;
  const power = typeof value.power === 'number' ? value.power : 0;
  return {
    batch: { token, chunks: chunks as ChunkName[], power, spec: null, directories: [] },
    handles,
  };
}
