import type { JobId } from '../../core/model/names.ts';
import { fromChunks, type RangeSet } from '../../core/model/ranges.ts';
import type { Probe, Readiness } from '../../core/services/readiness.ts';
import type { RunningChunk } from '../edge/next-steps.ts';
import type { Clock } from '../host/clock.ts';
import { firstProbesEveryMs, probesAtOnceMax } from './limits.ts';

/**
 * Which instances of services are ready: those that have run for as long as their service says, or
 * that answer well. Instances that outlived their agent are timed, and asked, from its start.
 */
export type InstanceReadiness = {
  /** Of every service of which something runs; empty where nothing is ready yet. */
  look(): ReadonlyMap<JobId, RangeSet>;
  /** Something has started: the moment at which it is ready is waited for. */
  watch(): void;
  stop(): void;
};

export type Instance = {
  readonly job: JobId;
  readonly chunk: number;
  readonly attempt: number;
  readonly power: number;
};

type Known = {
  readonly instance: Instance;
  readonly readiness: Readiness;
  readonly sinceMs: number;
  isReady: boolean;
  /** By its time: that it is ready has been said. */
  isAnnounced: boolean;
  wasReady: boolean;
  /** In a row. */
  badAnswers: number;
  dueMs: number;
  isAsked: boolean;
};

export type ReadinessDeps = {
  readonly clock: Clock;
  readonly running: ReadonlyMap<JobId, ReadonlyMap<number, RunningChunk>>;
  /** `null`: the job is no service. */
  readonly readinessOf: (job: JobId, chunk: number) => Readiness | null;
  readonly ask: (instance: Instance, probe: Probe) => Promise<boolean>;
  readonly changed: () => void;
};

export function watchReadiness(deps: ReadinessDeps): InstanceReadiness {
  const watch = new ReadinessWatch(deps);
  return { look: () => watch.look(), watch: () => watch.wait(), stop: () => watch.stop() };
}

class ReadinessWatch {
  readonly #deps: ReadinessDeps;
  #known = new Map<string, Known>();
  #cancel = (): void => {};
  #asking = 0;
  #isStopped = false;

  constructor(deps: ReadinessDeps) {
    this.#deps = deps;
  }

  look(): ReadonlyMap<JobId, RangeSet> {
    this.#refresh();
    const ready = new Map<JobId, number[]>();
    for (const { instance, isReady } of this.#known.values()) {
      const chunks = ready.get(instance.job) ?? [];
      if (isReady) chunks.push(instance.chunk);
      ready.set(instance.job, chunks);
    }
    return new Map([...ready].map(([job, chunks]) => [job, fromChunks(chunks)]));
  }

  /** Until the next one is ready by its time, or is to be asked. */
  wait(): void {
    this.#cancel();
    this.#refresh();
    let waitMs = Number.POSITIVE_INFINITY;
    const nowMs = this.#deps.clock.monotonicMs();
    for (const one of this.#known.values()) {
      if (isTimed(one)) {
        if (!one.isAnnounced) waitMs = Math.min(waitMs, readyAtMs(one) - nowMs);
      } else if (!one.isAsked && this.#asking < probesAtOnceMax) {
        waitMs = Math.min(waitMs, one.dueMs - nowMs);
      }
    }
    if (waitMs === Number.POSITIVE_INFINITY) return;
    this.#cancel = this.#deps.clock.after(Math.max(0, waitMs), () => this.#turn());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** Who runs now, and who has run for long enough. */
  #refresh(): void {
    const next = new Map<string, Known>();
    const nowMs = this.#deps.clock.monotonicMs();
    for (const [job, chunks] of this.#deps.running) {
      for (const [chunk, { attempt, power, stopping }] of chunks) {
        const readiness = stopping ? null : this.#deps.readinessOf(job, chunk);
        if (readiness === null) continue;
        const key = `${job}/${chunk}/${attempt}`;
        const instance = { job, chunk, attempt, power };
        const one = this.#known.get(key) ?? newlyKnown(instance, readiness, nowMs);
        if (isTimed(one) && readyAtMs(one) <= nowMs) one.isReady = true;
        next.set(key, one);
      }
    }
    this.#known = next;
  }

  #turn(): void {
    this.#refresh();
    const nowMs = this.#deps.clock.monotonicMs();
    let isNews = false;
    for (const one of this.#known.values()) {
      if (isTimed(one)) {
        isNews ||= one.isReady && !one.isAnnounced;
        one.isAnnounced = one.isReady;
      } else if (!one.isAsked && one.dueMs <= nowMs && this.#asking < probesAtOnceMax) {
        this.#ask(one, one.readiness as Probe);
      }
    }
    if (isNews) this.#deps.changed();
    this.wait();
  }

  #ask(one: Known, probe: Probe): void {
    one.isAsked = true;
    this.#asking += 1;
    void this.#deps
      .ask(one.instance, probe)
      .catch(() => false)
      .then((isGood) => this.#answered(one, probe, isGood));
  }

  #answered(one: Known, probe: Probe, isGood: boolean): void {
    this.#asking -= 1;
    this.#refresh();
    one.isAsked = false;
    one.badAnswers = isGood ? 0 : one.badAnswers + 1;
    const { everySeconds, failures } = 'http' in probe ? probe.http : probe.exec;
    const before = one.isReady;
    if (isGood) one.isReady = true;
    else if (one.badAnswers >= failures) one.isReady = false;
    one.wasReady ||= one.isReady;
    const everyMs = everySeconds * 1_000;
    const waitMs = one.wasReady ? everyMs : Math.min(everyMs, firstProbesEveryMs);
    one.dueMs = this.#deps.clock.monotonicMs() + waitMs;
    if (this.#isStopped) return;
    if (one.isReady !== before && [...this.#known.values()].includes(one)) this.#deps.changed();
    this.wait();
  }
}

function newlyKnown(instance: Instance, readiness: Readiness, nowMs: number): Known {
  const unknown = {
    isReady: false,
    isAnnounced: false,
    wasReady: false,
    badAnswers: 0,
    isAsked: false,
  };
  return { instance, readiness, sinceMs: nowMs, dueMs: nowMs, ...unknown };
}

function isTimed({ readiness }: Known): boolean {
  return 'afterSeconds' in readiness;
}

function readyAtMs({ readiness, sinceMs }: Known): number {
  return sinceMs + ('afterSeconds' in readiness ? readiness.afterSeconds * 1_000 : 0);
}
