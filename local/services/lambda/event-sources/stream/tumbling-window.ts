/**
 * Tumbling windows of a stream
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-windows.html): the function gets the
 * state that it returned last, and at the end of each window once more, without records, "to
 * indicate that this is the final state and that it's ready for processing". States:
 * `none → open → closing → none`; the open window is kept with the checkpoint, so that it survives
 * the local cloud.
 */

import type { Json } from '../../../../assembly/assembly.ts';
import type { Clock } from '../../../../engine/clock.ts';
import type { StateStore } from '../../../../engine/state-store.ts';
import {
  retryDelayMsMax,
  retryDelayMsMin,
  windowGraceMs,
  windowStateBytesMax,
} from '../../../../limits.ts';
import type { InvocationOutcome } from '../../definition.ts';
import { errorDocument } from '../../definition.ts';
import type { BatchDelivery } from '../batch-delivery.ts';
import type { StreamMapping } from './mapping.ts';
import type { StreamRecord } from './record.ts';

export type WindowedDelivery = BatchDelivery & {
  close(): void;
};

export type WindowOptions = {
  mapping: StreamMapping;
  shardId: string;
  store: StateStore;
  clock: Clock;
  invoke(payload: Buffer): Promise<InvocationOutcome>;
  /** The delivery of batches, given how to invoke. */
  delivery(invoke: (payload: Buffer) => Promise<InvocationOutcome>): BatchDelivery;
  pause(ms: number): Promise<void>;
  isStopped(): boolean;
};

type Window = {
  readonly startMs: number;
  readonly state: Json;
};

export function windowedDelivery(options: WindowOptions): WindowedDelivery {
  return new Windows(options);
}

class Windows implements WindowedDelivery {
  readonly #options: WindowOptions;
  readonly #key: string;
  readonly #inner: BatchDelivery;
  #open: Window | undefined;
  #cancel: () => void = () => undefined;
  /** One thing after the other: batches and the ends of windows. */
  #line: Promise<void> = Promise.resolve();

  constructor(options: WindowOptions) {
    this.#options = options;
    this.#key = `${options.mapping.id}/${options.mapping.engineStreamArn}/${options.shardId}`;
    this.#inner = options.delivery((payload) => this.#aggregate(payload));
    const kept = options.store.get('window', this.#key);
    if (kept !== undefined) this.#enter(JSON.parse(kept) as Window);
  }

  deliver(batch: readonly StreamRecord[]): Promise<void> {
    return this.#next(async () => {
      for (const { startMs, records } of byWindow(batch, this.#options.mapping.tumblingWindowMs)) {
        if (this.#open !== undefined && this.#open.startMs < startMs) await this.#finish(false);
        if (this.#open === undefined) this.#enter({ startMs, state: {} });
        await this.#inner.deliver(records);
      }
    });
  }

  close(): void {
    this.#cancel();
  }

  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#line.then(work);
    this.#line = done.catch(() => undefined);
    return done;
  }

  #enter(window: Window): void {
    this.#keep(window);
    const endMs = window.startMs + this.#options.mapping.tumblingWindowMs;
    this.#cancel();
    const { clock } = this.#options;
    this.#cancel = clock.after(endMs + windowGraceMs - clock.nowMs(), () => {
      const isSame = (): boolean => this.#open?.startMs === window.startMs;
      void this.#next(async () => {
        if (isSame()) await this.#finish(false);
      });
    });
  }

  #keep(window: Window): void {
    this.#open = window;
    this.#options.store.put('window', this.#key, JSON.stringify(window));
  }

  #leave(): void {
    this.#cancel();
    this.#open = undefined;
    this.#options.store.remove('window', this.#key);
  }

  /**
   * "If the response does not contain a state property, Lambda considers this a failed invocation."
   */
  async #aggregate(payload: Buffer): Promise<InvocationOutcome> {
    const window = this.#open;
    if (window === undefined) throw new Error('no window is open');
    const outcome = await this.#options.invoke(this.#event(payload, window, false, false));
    if (outcome.kind !== 'ok') return outcome;
    const state = stateOf(outcome.payload);
    if (state === undefined) return withoutState;
    this.#keep({ ...window, state });
    // "Your state can be a maximum of 1 MB for each shard. If it exceeds that size, Lambda
    // terminates the window early."
    if (JSON.stringify(state).length > windowStateBytesMax) {
      await this.#finish(true);
      this.#enter({ startMs: window.startMs, state: {} });
    }
    return outcome;
  }

  /** The final invocation, again and again until it succeeds or its tries are used up. */
  async #finish(isEarly: boolean): Promise<void> {
    const { mapping, pause, isStopped } = this.#options;
    const window = this.#open;
    if (window === undefined) return;
    const payload = this.#event(Buffer.from('{"Records":[]}'), window, true, isEarly);
    let delayMs = retryDelayMsMin;
    for (let failures = 0; !isStopped(); ) {
      const outcome = await this.#options.invoke(payload);
      if (outcome.kind === 'ok') return this.#leave();
      if (outcome.kind === 'failed') failures += 1;
      if (mapping.retriesMax >= 0 && failures > mapping.retriesMax) return this.#leave();
      await pause(delayMs);
      delayMs = Math.min(delayMs * 2, retryDelayMsMax);
    }
  }

  #event(payload: Buffer, window: Window, isFinal: boolean, isEarly: boolean): Buffer {
    const { mapping, shardId } = this.#options;
    const rest = {
      window: {
        start: secondOf(window.startMs),
        end: secondOf(window.startMs + mapping.tumblingWindowMs),
      },
      state: window.state,
      shardId,
      eventSourceARN: mapping.streamArn,
      isFinalInvokeForWindow: isFinal,
      isWindowTerminatedEarly: isEarly,
    };
    // The records stay the text that they are.
    return Buffer.from(`${payload.toString().slice(0, -1)},${JSON.stringify(rest).slice(1)}`);
  }
}

const withoutState: InvocationOutcome = {
  kind: 'failed',
  payload: errorDocument('Function.MissingState', 'The response has no state.'),
};

function stateOf(payload: Buffer): Json | undefined {
  try {
    const answer = JSON.parse(payload.toString()) as { state?: Json } | null;
    return answer?.state;
  } catch {
    return undefined;
  }
}

/** "Lambda determines tumbling window boundaries based on the time when records were inserted." */
function byWindow(
  batch: readonly StreamRecord[],
  windowMs: number,
): { startMs: number; records: StreamRecord[] }[] {
  const groups: { startMs: number; records: StreamRecord[] }[] = [];
  for (const record of batch) {
    const own = Math.floor(record.createdAtMs / windowMs) * windowMs;
    const last = groups.at(-1);
    // Stamps can step back a little; a record never goes back to a window that has ended.
    if (last !== undefined && own <= last.startMs) last.records.push(record);
    else groups.push({ startMs: own, records: [record] });
  }
  return groups;
}

/** `2020-07-30T17:00:00Z`. */
function secondOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
