/**
 * One process of one function: `starting → idle ⇄ busy → dead`. It serves one invocation at a time;
 * where its answers stream several, and is idle while it takes another. A timeout or a failed start
 * kills it; Lambda, too, throws the environment away then.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Reaper } from '../../../engine/reaper.ts';
import { lambdaInitMsMax, streamsPerInstanceMax } from '../../../limits.ts';
import {
  errorDocument,
  type FunctionDefinition,
  type InvocationOutcome,
  type InvokeOptions,
} from '../definition.ts';
import type { FunctionLog } from './function-log.ts';
import type { Delivery, RuntimeApi } from './runtime-api.ts';

export type InstanceEvents = {
  /** It takes one more invocation. */
  idle(instance: Instance): void;
  /** The process is gone; `failure` when it never became ready. */
  dead(instance: Instance, failure: Buffer | undefined): void;
};

export type Instance = {
  readonly id: string;
  readonly state: 'starting' | 'idle' | 'busy' | 'dead';
  readonly idleSinceMs: number;
  /** Nothing runs in it. */
  readonly isAtRest: boolean;
  run(payload: Buffer, options: InvokeOptions): Promise<InvocationOutcome>;
  kill(): Promise<void>;
};

export type InstanceOptions = {
  definition: FunctionDefinition;
  environment(runtimeApi: string, logStream: string): Record<string, string>;
  runtimeApi: RuntimeApi;
  log: FunctionLog;
  compileCacheDir: string;
  reaper: Reaper;
  events: InstanceEvents;
};

const bootstrapPath = join(import.meta.dirname, 'bootstrap.mjs');

type Running = {
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly timer: NodeJS.Timeout;
  readonly logPlace: number | undefined;
  readonly onStream: InvokeOptions['onStream'];
  readonly finish: (outcome: InvocationOutcome) => void;
};

export function startInstance(options: InstanceOptions): Instance {
  return new InstanceProcess(options);
}

class InstanceProcess implements Instance {
  readonly id = randomUUID().replaceAll('-', '');
  state: 'starting' | 'idle' | 'busy' | 'dead' = 'starting';
  idleSinceMs = 0;
  readonly #options: InstanceOptions;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #startedAtMs = performance.now();
  readonly #initTimer: NodeJS.Timeout;
  #initMs = 0;
  readonly #delivers: ((delivery: Delivery) => void)[] = [];
  readonly #running = new Map<string, Running>();
  #failure: Buffer | undefined;

  constructor(options: InstanceOptions) {
    this.#options = options;
    const { definition, log } = options;
    const day = new Date().toISOString().slice(0, 10).replaceAll('-', '/');
    const logStream = `${day}/[$LATEST]${this.id}`;
    log.line(`INIT_START Runtime Version: ${definition.runtime} (node ${process.version})`);
    options.runtimeApi.attach(this.id, {
      next: (deliver) => this.#ready(deliver),
      streams: (requestId, answer) => {
        const onStream = this.#running.get(requestId)?.onStream;
        onStream?.(answer);
        return onStream !== undefined;
      },
      responded: (requestId, payload, memoryKb) =>
        this.#finish(requestId, { kind: 'ok', payload }, memoryKb),
      failed: (requestId, payload, memoryKb) =>
        this.#finish(requestId, { kind: 'failed', payload }, memoryKb),
      startFailed: (payload) => {
        this.#failure = payload;
        log.line(`INIT_REPORT Status: error ${payload.toString()}`);
      },
    });
    this.#child = spawn(
      process.execPath,
      [
        `--max-old-space-size=${Math.max(64, Math.floor(definition.memoryMb * 0.9))}`,
        bootstrapPath,
        options.compileCacheDir,
        String(streamsPerInstanceMax),
      ],
      {
        cwd: definition.codeDir,
        detached: true,
        stdio: ['pipe', log.output(), log.output()],
        env: options.environment(options.runtimeApi.address(this.id), logStream),
      },
    );
    this.#child.stdin?.on('error', () => undefined);
    if (this.#child.pid !== undefined) options.reaper.watch(this.#child.pid);
    this.#initTimer = setTimeout(() => this.#initTimedOut(), lambdaInitMsMax);
    this.#exited = new Promise((resolve) => {
      this.#child.once('error', () => resolve());
      this.#child.once('exit', () => resolve());
    });
    void this.#exited.then(() => this.#ended());
  }

  get isAtRest(): boolean {
    return this.#running.size === 0;
  }

  run(payload: Buffer, options: InvokeOptions): Promise<InvocationOutcome> {
    const { definition, log } = this.#options;
    const { clientContext, onStream } = options;
    const deliver = this.#delivers.shift();
    if (this.state !== 'idle' || deliver === undefined) throw new Error('the instance is not idle');
    this.state = this.#delivers.length === 0 ? 'busy' : 'idle';
    const requestId = options.requestId ?? randomUUID();
    const logPlace = options.wantsLog === true ? log.place() : undefined;
    log.line(`START RequestId: ${requestId} Version: $LATEST`);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#timedOut(requestId), definition.timeoutMs);
      const startedAtMs = performance.now();
      const running = { requestId, startedAtMs, timer, logPlace, onStream, finish: resolve };
      this.#running.set(requestId, running);
      const deadlineAtMs = Date.now() + definition.timeoutMs;
      const functionArn = definition.arn;
      deliver({ requestId, payload, deadlineAtMs, functionArn, clientContext });
    });
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #ready(deliver: (delivery: Delivery) => void): void {
    clearTimeout(this.#initTimer);
    if (this.state === 'starting') this.#initMs = performance.now() - this.#startedAtMs;
    this.#delivers.push(deliver);
    this.state = 'idle';
    this.idleSinceMs = performance.now();
    this.#options.events.idle(this);
  }

  #finish(
    requestId: string,
    outcome: Exclude<InvocationOutcome, { kind: 'throttled' }>,
    memoryKb: number,
  ): void {
    const running = this.#running.get(requestId);
    if (running === undefined) return;
    this.#running.delete(requestId);
    clearTimeout(running.timer);
    this.#report(running, memoryKb);
    this.#answer(running, outcome);
  }

  #answer(running: Running, outcome: Exclude<InvocationOutcome, { kind: 'throttled' }>): void {
    const { requestId, logPlace } = running;
    if (logPlace === undefined) running.finish(outcome);
    else running.finish({ ...outcome, log: this.#options.log.tail(logPlace, requestId) });
  }

  #report(running: Running, memoryKb: number): void {
    const { definition, log } = this.#options;
    const durationMs = performance.now() - running.startedAtMs;
    const billedMs = Math.ceil(durationMs + this.#initMs);
    const used = memoryKb === 0 ? '' : `\tMax Memory Used: ${Math.ceil(memoryKb / 1024)} MB`;
    const init = this.#initMs === 0 ? '' : `\tInit Duration: ${this.#initMs.toFixed(2)} ms`;
    this.#initMs = 0;
    log.line(
      `END RequestId: ${running.requestId}\n` +
        `REPORT RequestId: ${running.requestId}\tDuration: ${durationMs.toFixed(2)} ms\t` +
        `Billed Duration: ${billedMs} ms\tMemory Size: ${definition.memoryMb} MB${used}${init}`,
    );
  }

  #timedOut(requestId: string): void {
    const running = this.#running.get(requestId);
    if (running === undefined) return;
    this.#running.delete(requestId);
    const seconds = (this.#options.definition.timeoutMs / 1000).toFixed(2);
    const problem = `Task timed out after ${seconds} seconds`;
    const message = `RequestId: ${running.requestId} Error: ${problem}`;
    this.#options.log.line(`${new Date().toISOString()} ${message}`);
    this.#report(running, 0);
    this.#child.kill('SIGKILL');
    const payload = errorDocument('Sandbox.Timedout', message);
    this.#answer(running, { kind: 'failed', payload });
  }

  #initTimedOut(): void {
    const message = `Init phase timed out after ${lambdaInitMsMax / 1000} seconds`;
    this.#failure = errorDocument('Sandbox.Timedout', message);
    this.#child.kill('SIGKILL');
  }

  #ended(): void {
    clearTimeout(this.#initTimer);
    const { runtimeApi, reaper, events } = this.#options;
    runtimeApi.detach(this.id);
    if (this.#child.pid !== undefined) reaper.release(this.#child.pid);
    const started = this.state !== 'starting';
    this.state = 'dead';
    const how = howEnded(this.#child);
    for (const running of this.#running.values()) {
      clearTimeout(running.timer);
      const message = `RequestId: ${running.requestId} Error: Runtime exited with error: ${how}`;
      this.#report(running, 0);
      const payload = errorDocument('Runtime.ExitError', message);
      this.#answer(running, { kind: 'failed', payload });
    }
    this.#running.clear();
    const failure = this.#failure ?? errorDocument('Runtime.ExitError', `Runtime exited: ${how}`);
    events.dead(this, started ? undefined : failure);
  }
}

/** As Lambda writes it: `exit status 1`, `signal: killed`. */
function howEnded(child: ChildProcess): string {
  const { signalCode, exitCode } = child;
  if (signalCode === null) return `exit status ${exitCode}`;
  const words: Readonly<Record<string, string>> = { SIGKILL: 'killed', SIGABRT: 'aborted' };
  return `signal: ${words[signalCode] ?? signalCode.slice(3).toLowerCase()}`;
}
