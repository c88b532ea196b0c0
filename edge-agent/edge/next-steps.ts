import { reportFailuresMax } from '../../core/model/limits.ts';
import type { JobId } from '../../core/model/names.ts';
import {
  chunksOf,
  count,
  emptyRanges,
  fromChunks,
  has,
  isEmpty,
  type RangeSet,
  subtract,
  take,
  union,
} from '../../core/model/ranges.ts';
import { type AgentSpec, chunkPowerOf } from '../../core/protocol/agent-spec.ts';
import type { Work, WorkEntry } from '../../core/protocol/work.ts';
import type { ChunkOrder } from '../executors/executor.ts';
import { acknowledged, emptyLedger, type JobLedger } from './ledger.ts';

/**
 * The agent's decision, pure: from what the cloud wants, what the journal holds and what runs, to
 * the steps that are missing. Deciding again after the steps were carried out gives none: nothing
 * is started twice, nothing is forgotten that the cloud has not applied, and nothing starts that
 * is being taken back.
 */
export type RunningChunk = {
  readonly attempt: number;
  readonly power: number;
  readonly stopping: boolean;
};

export type SpecKnowledge =
  | { readonly kind: 'ready'; readonly spec: AgentSpec }
  | { readonly kind: 'fetching' }
  | { readonly kind: 'unavailable'; readonly reason: string };

export type View = {
  /** The edge that decides. */
  readonly edge: string;
  readonly work: Work;
  readonly ledgers: ReadonlyMap<JobId, JobLedger>;
  readonly running: ReadonlyMap<JobId, ReadonlyMap<number, RunningChunk>>;
  /** By `specKey`. */
  readonly specs: ReadonlyMap<string, SpecKnowledge>;
  /**
   * Why this edge will not run a job, or `null`: executors that it lacks and the owner's policy.
   */
  readonly refusal: (spec: AgentSpec, power: number) => string | null;
  /** Power that may be in use at once on this edge; above it chunks wait. */
  readonly powerMax: number;
  /** False while results could not be written down, and while the agent is stopping. */
  readonly mayStart: boolean;
  /** When the cloud was last heard. */
  readonly contactAtMs: number;
};

export type StopReason = 'revoked' | 'offline' | 'refused';

export type Step =
  /**
   * Asked for again while it is under way: edges of one process share the answer, and asking twice
   * is asking once.
   */
  | { readonly kind: 'fetch-spec'; readonly job: JobId; readonly hash: string }
  | { readonly kind: 'forget'; readonly job: JobId; readonly chunks: RangeSet }
  | {
      readonly kind: 'stop';
      readonly job: JobId;
      readonly chunk: number;
      readonly why: StopReason;
    }
  | { readonly kind: 'refuse'; readonly job: JobId; readonly reason: string }
  | {
      readonly kind: 'start';
      readonly job: JobId;
      readonly spec: AgentSpec;
      readonly orders: readonly ChunkOrder[];
    }
  | { readonly kind: 'look-again'; readonly atMs: number };

export function nextSteps(view: View, nowMs: number): Step[] {
  const steps: Step[] = [];
  forgetAndStop(view, steps);
  let failures = 0;
  for (const ledger of view.ledgers.values()) failures += ledger.failed.size;
  let power = powerInUse(view);
  for (const [job, entry] of view.work.jobs) {
    const knowledge = view.specs.get(specKey(job, entry.specHash));
    if (knowledge === undefined || knowledge.kind === 'fetching') {
      steps.push({ kind: 'fetch-spec', job, hash: entry.specHash });
    }
    if (knowledge?.kind === 'unavailable') {
      steps.push({ kind: 'refuse', job, reason: knowledge.reason });
    }
    if (knowledge?.kind !== 'ready') continue;
    const reason = view.refusal(knowledge.spec, entry.chunkPower);
    if (reason !== null) {
      steps.push({ kind: 'refuse', job, reason });
      stopAll(view, job, 'refused', steps);
      continue;
    }
    if (isOffline(view, job, knowledge.spec, nowMs, steps)) continue;
    if (!view.mayStart || failures >= reportFailuresMax) continue;
    const orders = startOrders(view, job, entry, knowledge.spec, view.powerMax - power);
    for (const order of orders) power += order.power;
    if (orders.length > 0) steps.push({ kind: 'start', job, spec: knowledge.spec, orders });
  }
  return steps;
}

function forgetAndStop(view: View, steps: Step[]): void {
  for (const [job, ledger] of view.ledgers) {
    const entry = view.work.jobs.get(job);
    const owned = entry?.ranges ?? emptyRanges;
    const chunks = union(
      acknowledged(ledger, owned, view.work.acknowledgedSequence),
      entry === undefined ? emptyRanges : superseded(ledger, entry),
    );
    if (!isEmpty(chunks)) steps.push({ kind: 'forget', job, chunks });
  }
  for (const [job, chunks] of view.running) {
    const owned = view.work.jobs.get(job)?.ranges ?? emptyRanges;
    for (const [chunk, { stopping }] of chunks) {
      if (!stopping && !has(owned, chunk)) steps.push({ kind: 'stop', job, chunk, why: 'revoked' });
    }
  }
}

export function attemptOf(entry: WorkEntry, chunk: number): number {
  let attempt = 1;
  for (const [number, set] of entry.attempts) {
    if (number > attempt && has(set, chunk)) attempt = number;
  }
  return attempt;
}

/**
 * Failures of an attempt below the one now asked for: the cloud has counted them and wants the
 * chunk run again.
 */
function superseded(ledger: JobLedger, entry: WorkEntry): RangeSet {
  if (ledger.failed.size === 0 || entry.attempts.size === 0) return emptyRanges;
  const chunks: number[] = [];
  for (const [chunk, { attempt }] of ledger.failed) {
    if (has(entry.ranges, chunk) && attempt < attemptOf(entry, chunk)) chunks.push(chunk);
  }
  return fromChunks(chunks);
}

/** What may still be started of a job: owned, not being taken back, no result, not running. */
export function startable(
  entry: WorkEntry,
  ledger: JobLedger,
  running: ReadonlyMap<number, RunningChunk> | undefined,
): RangeSet {
  let open = subtract(subtract(entry.ranges, entry.release), ledger.done);
  const failed: number[] = [];
  for (const [chunk, { attempt }] of ledger.failed) {
    if (attempt >= attemptOf(entry, chunk)) failed.push(chunk);
  }
  open = subtract(open, fromChunks(failed));
  return running === undefined ? open : subtract(open, fromChunks(running.keys()));
}

function startOrders(
  view: View,
  job: JobId,
  entry: WorkEntry,
  spec: AgentSpec,
  powerFree: number,
): ChunkOrder[] {
  const running = view.running.get(job);
  const slots = entry.slots - (running?.size ?? 0);
  if (slots <= 0) return [];
  const open = startable(entry, view.ledgers.get(job) ?? emptyLedger, running);
  const orders: ChunkOrder[] = [];
  let free = powerFree;
  for (const chunk of chunksOf(take(open, Math.min(slots, count(open))).taken)) {
    const power = chunkPowerOf(spec, chunk);
    if (power > free) break;
    free -= power;
    orders.push({ edge: view.edge, job, chunk, attempt: attemptOf(entry, chunk), power, spec });
  }
  return orders;
}

/**
 * A job may set for how long it may be worked on unheard; past that, its chunks here are stopped.
 */
function isOffline(view: View, job: JobId, spec: AgentSpec, nowMs: number, steps: Step[]): boolean {
  if (spec.offlineSeconds === null) return false;
  const untilMs = view.contactAtMs + spec.offlineSeconds * 1_000;
  if (nowMs < untilMs) {
    steps.push({ kind: 'look-again', atMs: untilMs });
    return false;
  }
  stopAll(view, job, 'offline', steps);
  return true;
}

function stopAll(view: View, job: JobId, why: StopReason, steps: Step[]): void {
  const owned = view.work.jobs.get(job)?.ranges ?? emptyRanges;
  for (const [chunk, { stopping }] of view.running.get(job) ?? []) {
    if (!stopping && has(owned, chunk)) steps.push({ kind: 'stop', job, chunk, why });
  }
}

export function powerInUse(view: Pick<View, 'running'>): number {
  let power = 0;
  for (const chunks of view.running.values())
    for (const { power: one } of chunks.values()) power += one;
  return power;
}

export function specKey(job: JobId, hash: string): string {
  return `${job}-${hash}`;
}
