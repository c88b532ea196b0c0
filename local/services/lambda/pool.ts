/**
 * All processes of one function. An invocation takes an idle process (the one used last, so that
 * the others can be reaped) or waits; the first one starts a process at once, later ones when they
 * waited a moment.
 */
import {
  lambdaGrowAfterMs,
  lambdaGrowFurtherAfterMs,
  lambdaIdleMsMax,
  lambdaInstancesPerFunctionMax,
  lambdaInstancesPerFunctionMost,
  lambdaWaitingMax,
} from '../../limits.ts';
import type { FunctionDefinition, InvocationOutcome, InvokeOptions } from './definition.ts';
import type { Instance, InstanceEvents } from './runtime/instance.ts';

type Waiting = {
  readonly payload: Buffer;
  readonly options: InvokeOptions;
  readonly sinceMs: number;
  readonly finish: (outcome: InvocationOutcome) => void;
};

export type PoolCounters = {
  invocations: number;
  errors: number;
  throttles: number;
  coldStarts: number;
};

export type FunctionPool = {
  readonly definition: FunctionDefinition;
  readonly counters: Readonly<PoolCounters>;
  readonly size: number;
  invoke(payload: Buffer, options?: InvokeOptions): Promise<InvocationOutcome>;
  /** Processes that are not ready yet. */
  readonly starting: number;
  /** Looks again whether waiting invocations can be served. */
  dispatch(): void;
  /** Ends processes that had no work for long; `oldest` ends one idle process in any case. */
  reap(oldest: boolean): boolean;
  close(): Promise<void>;
};

export type PoolOptions = {
  definition: FunctionDefinition;
  start(events: InstanceEvents): Instance;
  /** True when another process may start on this machine; may end an idle one elsewhere. */
  makeRoom(): boolean;
  /** A process is ready or gone: another one may start now, of whatever function. */
  started(): void;
};

export function functionPool(options: PoolOptions): FunctionPool {
  return new Pool(options);
}

class Pool implements FunctionPool {
  readonly definition: FunctionDefinition;
  readonly counters: PoolCounters = { invocations: 0, errors: 0, throttles: 0, coldStarts: 0 };
  readonly #options: PoolOptions;
  readonly #all = new Set<Instance>();
  /** An instance is in it once for each invocation that it takes. */
  readonly #idle: Instance[] = [];
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #growTimer: NodeJS.Timeout | undefined;
  #starting = 0;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.definition = options.definition;
  }

  get starting(): number {
    return this.#starting;
  }

  get size(): number {
    return this.#all.size;
  }

  invoke(payload: Buffer, options: InvokeOptions = {}): Promise<InvocationOutcome> {
    const reserved = this.definition.concurrencyReserved ?? Number.POSITIVE_INFINITY;
    const demand = this.#running + this.#waiting.length;
    if (demand >= reserved || this.#waiting.length >= lambdaWaitingMax || this.#closed) {
      this.counters.throttles += 1;
      return Promise.resolve({ kind: 'throttled', reason: 'Rate Exceeded.' });
    }
    this.counters.invocations += 1;
    return new Promise((resolve) => {
      this.#waiting.push({ payload, options, sinceMs: performance.now(), finish: resolve });
      this.dispatch();
    });
  }

  reap(oldest: boolean): boolean {
    const instance = this.#idle.find(({ isAtRest }) => isAtRest);
    if (instance === undefined) return false;
    if (!oldest && performance.now() - instance.idleSinceMs < lambdaIdleMsMax) return false;
    this.#forget(instance);
    void instance.kill();
    return true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#growTimer);
    for (const waiting of this.#waiting.splice(0)) {
      waiting.finish({ kind: 'throttled', reason: 'The local cloud stops.' });
    }
    await Promise.all([...this.#all].map((instance) => instance.kill()));
  }

  dispatch(): void {
    while (this.#waiting.length > 0) {
      const instance = this.#idle.pop();
      if (instance === undefined) break;
      if (instance.state === 'idle') this.#assign(instance);
    }
    if (this.#waiting.length <= this.#starting || this.#closed) return;
    if (this.#all.size === 0) this.#grow();
    if (this.#waiting.length <= this.#starting) return;
    this.#growTimer ??= setTimeout(() => this.#growNow(), lambdaGrowAfterMs);
  }

  #growNow(): void {
    this.#growTimer = undefined;
    if (this.#waiting.length > this.#starting && !this.#closed) this.#grow();
    // Looks again while somebody waits.
    this.dispatch();
  }

  #grow(): void {
    if (this.#all.size >= this.#instancesMax() || !this.#options.makeRoom()) return;
    this.#start();
  }

  /** The usual bound, or what the template asks for when an invocation waited long. */
  #instancesMax(): number {
    const { concurrencyReserved, concurrencyOfQueues } = this.definition;
    const asked = concurrencyReserved ?? concurrencyOfQueues ?? 0;
    const sinceMs = this.#waiting[0]?.sinceMs ?? Number.POSITIVE_INFINITY;
    if (performance.now() - sinceMs < lambdaGrowFurtherAfterMs) {
      return lambdaInstancesPerFunctionMax;
    }
    const most = Math.min(asked, lambdaInstancesPerFunctionMost);
    return Math.max(most, lambdaInstancesPerFunctionMax);
  }

  #assign(instance: Instance): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) return;
    this.#running += 1;
    void instance.run(waiting.payload, waiting.options).then((outcome) => {
      this.#running -= 1;
      if (outcome.kind === 'failed') this.counters.errors += 1;
      waiting.finish(outcome);
    });
  }

  #start(): void {
    this.#starting += 1;
    this.counters.coldStarts += 1;
    let starting = true;
    const started = (): void => {
      if (!starting) return;
      starting = false;
      this.#starting -= 1;
      // After this turn: the process that just became ready is taken first.
      queueMicrotask(() => this.#options.started());
    };
    const instance = this.#options.start({
      idle: (ready) => {
        started();
        this.#idle.push(ready);
        this.dispatch();
      },
      dead: (gone, failure) => {
        started();
        this.#all.delete(gone);
        this.#forget(gone);
        if (failure !== undefined) this.#fail(failure);
        if (!this.#closed) this.dispatch();
      },
    });
    this.#all.add(instance);
  }

  #forget(gone: Instance): void {
    for (let at = this.#idle.length - 1; at >= 0; at--) {
      if (this.#idle[at] === gone) this.#idle.splice(at, 1);
    }
  }

  /** A process that cannot start fails one invocation, as on AWS; the next one tries again. */
  #fail(payload: Buffer): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) return;
    this.counters.errors += 1;
    waiting.finish({ kind: 'failed', payload });
  }
}
