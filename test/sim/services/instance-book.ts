import { type EdgeName, edgeNameOf, type JobId } from '../../../core/model/names.ts';
import { chunksOf, emptyRanges, type RangeSet, unionAll } from '../../../core/model/ranges.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import type { JobChange } from '../../../core/ports/jobs.ts';
import { type AgentSpec, agentSpec } from '../../../core/protocol/agent-spec.ts';
import { numbersOf } from '../../../core/services/instance-numbers.ts';
import { seatsPerCell } from '../../../core/services/limits.ts';
import type { ChunkName, ChunkOrder } from '../../../edge-agent/executors/executor.ts';
import type { ChunkFate } from '../edge/simulated-edge.ts';
import { calm, type Faults } from '../faults.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { Timeline } from '../timeline.ts';

/** One start of an instance, on the edge where it was. */
export type Start = {
  readonly job: JobId;
  readonly chunk: number;
  readonly attempt: number;
  readonly edge: EdgeName;
  readonly hash: string;
  readonly atMs: number;
  readonly readyAfterMs: number;
  endedAtMs: number | null;
};

/**
 * What is wrong with a generation: its instances end soon, in all cells or in all but the first, or
 * run and are never ready.
 */
export type Fault = 'ends' | 'ends-elsewhere' | 'hangs';

/** What users want of a service, and since when. */
type Wish = { readonly atMs: number; readonly chunks: RangeSet; readonly cancelled: boolean };

export type InstanceWorld = {
  readonly timeline: Pick<Timeline, 'nowMs'>;
  /** While trouble lasts, good instances end now and then, too. */
  readonly faults: Faults;
  /** As they were before any calm. */
  readonly plannedFaults: Faults;
};

const neverMs = 10 * 365 * 86_400_000;

/**
 * What really runs of services, whoever knows of it, and what their users really wanted. The system
 * never reads it.
 */
export class InstanceBook {
  readonly #random: SeededRandom;
  readonly #world: InstanceWorld;
  /** All that was ever accepted of each service, by the hash of its spec. */
  readonly #specs = new Map<string, StoredJob>();
  readonly #wishes = new Map<JobId, Wish[]>();
  readonly #running = new Map<string, Start>();
  /** Since when users want an instance, or all of a service, to start anew. */
  readonly #anew = new Map<string, number>();
  readonly #longest = new Map<string, number>();
  /** A generation says by this which one it is, and whether it is any good. */
  readonly badGraces = new Map<number, Fault>();

  /** Of functions: one saw an instance ready, and another one that it still was. */
  readonly clocksApartMs: number;

  constructor(random: SeededRandom, world: InstanceWorld) {
    this.#random = random;
    this.#world = world;
    this.clocksApartMs = 2 * world.plannedFaults.functionClockOffMsMax;
  }

  /** What is stored for a user, also what is about to be. */
  accepted(job: StoredJob, change?: JobChange): void {
    if (job.spec.restart === undefined) return;
    if (change?.kind === 'restart') this.#startAnew(job.id, change.rollout.restart?.chunks ?? null);
    this.#specs.set(`${job.id} ${job.specHash}`, job);
    const wishes = this.#wishes.get(job.id) ?? [];
    this.#wishes.set(job.id, wishes);
    wishes.push({
      atMs: this.#world.timeline.nowMs,
      chunks: numbersOf(job.chunking),
      cancelled: job.cancelledAtMs !== null,
    });
  }

  #startAnew(job: JobId, chunks: RangeSet | null): void {
    const { nowMs } = this.#world.timeline;
    if (chunks === null) this.#anew.set(job, nowMs);
    for (const chunk of chunksOf(chunks ?? emptyRanges)) this.#anew.set(`${job}/${chunk}`, nowMs);
  }

  /** What its rollout had not brought yet when it was given up stays as it is. */
  givenUp(job: JobId): void {
    for (const key of [...this.#anew.keys()]) {
      if (key === job || key.startsWith(`${job}/`)) this.#anew.delete(key);
    }
  }

  /** No start before this is what its user wants. */
  wantedAnewSinceMs(job: JobId, chunk: number): number {
    return Math.max(this.#anew.get(job) ?? 0, this.#anew.get(`${job}/${chunk}`) ?? 0);
  }

  isService(job: JobId): boolean {
    return this.#wishes.has(job);
  }

  specOf(job: JobId, hash: string): AgentSpec | null {
    const stored = this.#specs.get(`${job} ${hash}`);
    if (stored === undefined) return null;
    return agentSpec(job, hash, stored.spec, stored.chunking, stored.createdBy);
  }

  /** All that was wanted in this time, which is over; `null` when it is cancelled. */
  wantedSince(job: JobId, forMs: number): RangeSet | null {
    const wishes = this.#wishes.get(job) ?? [];
    const sinceMs = this.#world.timeline.nowMs - forMs;
    const last = wishes.findLastIndex(({ atMs }) => atMs <= sinceMs);
    const open = wishes.slice(Math.max(0, last)).filter(({ cancelled }) => !cancelled);
    return open.length === 0 ? null : unionAll(open.map(({ chunks }) => chunks));
  }

  /** An instance of such a generation is never ready for long. */
  isBad(grace: number, chunk: number): boolean {
    const fault = this.badGraces.get(grace);
    return fault === 'ends-elsewhere' ? chunk >= seatsPerCell : fault !== undefined;
  }

  fateOf({ spec, chunk }: ChunkOrder): ChunkFate {
    const random = this.#random;
    const grace = spec.stopGraceSeconds ?? 0;
    if (this.badGraces.get(grace) !== 'hangs' && this.isBad(grace, chunk)) {
      return { afterMs: random.between(20, 4_000), end: { kind: 'failed', failure: 125 } };
    }
    if (spec.restart?.policy === 'never') {
      return { afterMs: random.between(500, 20_000), end: { kind: 'done' } };
    }
    if (this.#world.faults === calm || random.chance(0.7))
      return { afterMs: neverMs, end: { kind: 'done' } };
    const failure = random.pick([0, 1, 137]);
    return { afterMs: random.between(500, 60_000), end: { kind: 'failed', failure } };
  }

  started({ edge, job, chunk, attempt, spec }: ChunkOrder): void {
    this.#running.set(`${edge} ${job}/${chunk}`, {
      job,
      chunk,
      attempt,
      edge: edgeNameOf(edge),
      hash: spec.hash,
      atMs: this.#world.timeline.nowMs,
      readyAfterMs: readyAfterMs(spec),
      endedAtMs: null,
    });
  }

  /** It ended, or was stopped. */
  gone({ edge, job, chunk, attempt }: ChunkName): void {
    const key = `${edge} ${job}/${chunk}`;
    const start = this.#running.get(key);
    if (start === undefined || start.attempt !== attempt) return;
    this.#running.delete(key);
    this.#note(start);
  }

  /** The agent died with all that it ran. */
  died(edge: EdgeName): void {
    for (const [key, start] of this.#running) {
      if (start.edge !== edge) continue;
      this.#running.delete(key);
      this.#note(start);
    }
  }

  running(job?: JobId): Start[] {
    const all = [...this.#running.values()];
    return job === undefined ? all : all.filter((it) => it.job === job);
  }

  /** This start of it ran for long enough somewhere, whatever came of it later. */
  wasReady(job: JobId, chunk: number, attempt: number, forMs = 0): boolean {
    const name = `${job}/${chunk}/${attempt}`;
    if ((this.#longest.get(name) ?? -1) >= forMs) return true;
    const { nowMs } = this.#world.timeline;
    return this.running(job).some((it) => {
      const isIt = it.chunk === chunk && it.attempt === attempt;
      return isIt && nowMs - it.atMs >= it.readyAfterMs + forMs - clockSlackMs;
    });
  }

  #note({ job, chunk, attempt, atMs, readyAfterMs }: Start): void {
    const name = `${job}/${chunk}/${attempt}`;
    const beyondMs = this.#world.timeline.nowMs - atMs - readyAfterMs + clockSlackMs;
    this.#longest.set(name, Math.max(beyondMs, this.#longest.get(name) ?? -neverMs));
  }
}

function readyAfterMs({ ready }: AgentSpec): number {
  return ready !== undefined && 'afterSeconds' in ready ? ready.afterSeconds * 1_000 : 0;
}

/** Timers of agents are not exact. */
const clockSlackMs = 20;
