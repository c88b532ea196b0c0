import { shownChunk, shownJob } from '../../core/federation/chunk-offsets.ts';
import type { JobOutputs } from '../../core/model/job.ts';
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
import type { Failure } from '../../core/protocol/progress-report.ts';
import type { Work, WorkEntry } from '../../core/protocol/work.ts';
import { inputsHaveNames } from '../../core/sweeps/fill-inputs.ts';
import { fillRun, hasTemplates } from '../../core/sweeps/fill-run.ts';
import type { Parameters } from '../../core/sweeps/parameters.ts';
import type { ChunkName, ChunkOrder } from '../executors/executor.ts';
import { isOwn, sharedInputs, withOwnInputs } from '../inputs/own-inputs.ts';
import { parametersAheadMax, parametersLowMax } from '../limits.ts';
import { sendingBesideMax } from '../results/limits.ts';
import { partsOf } from './generations.ts';
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
  /** Of which ends its results have to be safe before they count; absent: of none. */
  readonly results?: JobOutputs['on'];
  /** Of a service: it is never done, its end is a failure with the exit code 0. */
  readonly isInstance?: boolean;
  /** It has ended like this, and its results are on their way. */
  readonly sending?: SendingEnd;
};

export type SendingEnd = { readonly failure: Failure | null; readonly durationMs: number | null };

export type SpecKnowledge =
  | { readonly kind: 'ready'; readonly spec: AgentSpec }
  | { readonly kind: 'fetching' }
  | { readonly kind: 'unavailable'; readonly reason: string };

export type InputKnowledge =
  | { readonly kind: 'ready' }
  /** `reason`: it fails, or takes too long; it is tried again all the same. */
  | { readonly kind: 'fetching'; readonly reason: string | null };

/** `reason`: they cannot be had at the moment; they are asked for again all the same. */
export type ParameterKnowledge = {
  readonly known: Pick<ReadonlyMap<number, Parameters>, 'get' | 'has'>;
  readonly reason: string | null;
};

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
  readonly refusal: (spec: AgentSpec, entry: WorkEntry) => string | null;
  /** Why no chunk of a job may be started now, though what runs goes on; or `null`. */
  readonly obstacle: (spec: AgentSpec) => string | null;
  /** How it is with the files that chunks of a job find in their directories. */
  readonly inputs: (job: JobId, spec: AgentSpec) => InputKnowledge;
  /** What is known of the parameters of a sweep's chunks. */
  readonly parameters: (job: JobId, spec: AgentSpec) => ParameterKnowledge;
  /** Power that may be in use at once on this edge; above it chunks wait. */
  readonly powerMax: number;
  /**
   * What this edge has. The cloud counts what it has taken back as free at once, so while a chunk
   * that is being stopped still lives, no other is started in its place.
   */
  readonly capacityPower: number;
  /** Another scheduler orders what is given; `null`: this edge does. */
  readonly handover: Handover | null;
  /** False while results could not be written down, and while the agent is stopping. */
  readonly mayStart: boolean;
  /** When the control plane last said anything. */
  readonly contactAtMs: number;
};

/** Chunks are handed over as they are given, without regard to slots and power. */
export type Handover = { waits(name: ChunkName): boolean };

export type StopReason = 'revoked' | 'offline' | 'refused' | 'superseded';

export type Step =
  /**
   * Asked for again while it is under way: edges of one process share the answer, and asking twice
   * is asking once.
   */
  | {
      readonly kind: 'fetch-spec';
      readonly job: JobId;
      readonly hash: string;
      /** The spec itself, where the work brought it. */
      readonly inline: string | null;
    }
  /** As for the spec: asking twice is asking once. */
  | { readonly kind: 'fetch-inputs'; readonly job: JobId; readonly spec: AgentSpec }
  /** `ahead`: the chunks that are started next. Asking twice is asking once. */
  | {
      readonly kind: 'fetch-parameters';
      readonly job: JobId;
      readonly spec: AgentSpec;
      readonly ahead: RangeSet;
    }
  /** As for the inputs. */
  | {
      readonly kind: 'send-results';
      readonly job: JobId;
      readonly chunk: number;
      readonly attempt: number;
      readonly isDone: boolean;
      readonly spec: AgentSpec;
    }
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
  const most = isLeaving(view) ? Math.min(view.powerMax, view.capacityPower) : view.powerMax;
  const given = new Map<JobId, number>();
  for (const { job, entry } of partsOf(view.work.jobs)) {
    const knowledge = view.specs.get(specKey(job, entry.specHash));
    if (knowledge === undefined || knowledge.kind === 'fetching') {
      steps.push({ kind: 'fetch-spec', job, hash: entry.specHash, inline: entry.inlineSpec });
    }
    if (knowledge?.kind === 'unavailable') {
      steps.push({ kind: 'refuse', job, reason: knowledge.reason });
    }
    if (knowledge?.kind !== 'ready') continue;
    sendResults(view, job, knowledge.spec, steps);
    const reason = view.refusal(knowledge.spec, entry);
    if (reason !== null) {
      steps.push({ kind: 'refuse', job, reason });
      stopAll(view, job, entry.ranges, 'refused', steps);
      continue;
    }
    if (knowledge.spec.restart !== undefined) stopEarlier(view, job, entry, steps);
    if (isOffline(view, { job, entry, spec: knowledge.spec }, nowMs, steps)) continue;
    if (!areInputsReady(view, job, sharedInputs(knowledge.spec), steps)) continue;
    if (!view.mayStart || failures >= reportFailuresMax) continue;
    const open = startable(entry, view.ledgers.get(job) ?? emptyLedger, view.running.get(job));
    const parameters = parametersOf(view, job, knowledge.spec, open, steps);
    const what = { job, entry, spec: knowledge.spec, open, parameters };
    const asked = startOrders(view, { ...what, given: given.get(job) ?? 0 }, most - power, steps);
    const orders = asked.filter(
      ({ spec }) => !isOwn(spec) || areInputsReady(view, job, spec, steps),
    );
    if (orders.length === 0 && parameters?.reason) {
      steps.push({ kind: 'refuse', job, reason: parameters.reason });
      continue;
    }
    const obstacle = orders.length > 0 ? view.obstacle(knowledge.spec) : null;
    if (obstacle !== null) {
      steps.push({ kind: 'refuse', job, reason: obstacle });
      continue;
    }
    for (const order of orders) power += order.power;
    given.set(job, (given.get(job) ?? 0) + orders.length);
    if (orders.length > 0) steps.push({ kind: 'start', job, spec: knowledge.spec, orders });
  }
  return steps;
}

/** What is not here yet is fetched. */
function areInputsReady(view: View, job: JobId, spec: AgentSpec, steps: Step[]): boolean {
  const inputs = view.inputs(job, spec);
  if (inputs.kind === 'ready') return true;
  steps.push({ kind: 'fetch-inputs', job, spec });
  if (inputs.reason !== null) steps.push({ kind: 'refuse', job, reason: inputs.reason });
  return false;
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
    const taken = view.work.jobs.get(job)?.release ?? emptyRanges;
    for (const [chunk, { attempt, stopping }] of chunks) {
      if (stopping) continue;
      const name = { edge: view.edge, job, chunk, attempt };
      // Of what is being taken back only what has not begun is given.
      const isGiven = has(taken, chunk) && view.handover?.waits(name) === true;
      if (isGiven || !has(owned, chunk)) steps.push({ kind: 'stop', job, chunk, why: 'revoked' });
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

/** `null`: the job has none, or nothing that it runs could see them. */
function parametersOf(
  view: View,
  job: JobId,
  spec: AgentSpec,
  open: RangeSet,
  steps: Step[],
): ParameterKnowledge | null {
  if (spec.sweep !== true || 'simulate' in spec.run) return null;
  const parameters = view.parameters(job, spec);
  const soon = take(open, parametersLowMax).taken;
  for (const chunk of chunksOf(soon)) {
    if (parameters.known.has(chunk)) continue;
    const ahead = take(open, parametersAheadMax).taken;
    steps.push({ kind: 'fetch-parameters', job, spec, ahead });
    break;
  }
  return parameters;
}

type Startable = {
  readonly job: JobId;
  readonly entry: WorkEntry;
  readonly spec: AgentSpec;
  readonly open: RangeSet;
  readonly parameters: ParameterKnowledge | null;
  /** Slots that chunks of the job by another spec have taken just now. */
  readonly given: number;
};

function startOrders(view: View, what: Startable, powerFree: number, steps: Step[]): ChunkOrder[] {
  const { job, entry, spec, open, parameters, given } = what;
  const running = view.running.get(job);
  const isHandedOver = view.handover !== null;
  const room = entry.slots - slotsInUse(running) - given;
  const slots = isHandedOver ? count(open) : room;
  if (slots <= 0) return [];
  const isFilled = !('simulate' in spec.run) && inputsHaveNames(spec.inputs ?? []);
  const isPlain = parameters === null && !hasTemplates(spec.run) && !isFilled;
  const orders: ChunkOrder[] = [];
  let free = isHandedOver ? Number.POSITIVE_INFINITY : powerFree;
  for (const chunk of chunksOf(take(open, Math.min(slots, count(open))).taken)) {
    const power = chunkPowerOf(spec, chunk);
    const own = parameters === null ? null : parameters.known.get(chunk);
    if (power > free || own === undefined) break;
    free -= power;
    const shown = { job: shownJob(spec, job), chunk: shownChunk(spec, chunk) };
    const values = { ...shown, parameters: own };
    const placed = isFilled ? withOwnInputs(spec, chunk, values) : spec;
    if (typeof placed === 'string') {
      steps.push({ kind: 'refuse', job, reason: `input-corrupt: ${placed}` });
      continue;
    }
    const filled = isPlain ? spec : { ...placed, run: fillRun(spec.run, values) };
    const attempt = attemptOf(entry, chunk);
    orders.push({ edge: view.edge, job, chunk, attempt, power, spec: filled });
  }
  return orders;
}

/** Of a few whose results are on their way the slot is free. */
function slotsInUse(running: ReadonlyMap<number, RunningChunk> | undefined): number {
  let sending = 0;
  for (const chunk of running?.values() ?? []) if (chunk.sending !== undefined) sending += 1;
  return (running?.size ?? 0) - Math.min(sending, sendingBesideMax);
}

function sendResults(view: View, job: JobId, spec: AgentSpec, steps: Step[]): void {
  for (const [chunk, { attempt, stopping, sending }] of view.running.get(job) ?? []) {
    if (sending === undefined || stopping) continue;
    const isDone = sending.failure === null;
    steps.push({ kind: 'send-results', job, chunk, attempt, isDone, spec });
  }
}

/**
 * A job may set for how long it may be worked on without the control plane; past that, its chunks
 * here are stopped.
 */
function isOffline(
  view: View,
  { job, entry, spec }: Pick<Startable, 'job' | 'entry' | 'spec'>,
  nowMs: number,
  steps: Step[],
): boolean {
  if (spec.offlineSeconds === null) return false;
  const untilMs = view.contactAtMs + spec.offlineSeconds * 1_000;
  if (nowMs < untilMs) {
    steps.push({ kind: 'look-again', atMs: untilMs });
    return false;
  }
  stopAll(view, job, entry.ranges, 'offline', steps);
  return true;
}

/** An instance of which a later start is asked for stops first. */
function stopEarlier(view: View, job: JobId, entry: WorkEntry, steps: Step[]): void {
  for (const [chunk, { attempt, stopping }] of view.running.get(job) ?? []) {
    if (stopping || !has(entry.ranges, chunk) || attempt >= attemptOf(entry, chunk)) continue;
    steps.push({ kind: 'stop', job, chunk, why: 'superseded' });
  }
}

function stopAll(view: View, job: JobId, owned: RangeSet, why: StopReason, steps: Step[]): void {
  for (const [chunk, { stopping }] of view.running.get(job) ?? []) {
    if (!stopping && has(owned, chunk)) steps.push({ kind: 'stop', job, chunk, why });
  }
}

function isLeaving({ running }: View): boolean {
  for (const chunks of running.values())
    for (const { stopping } of chunks.values()) if (stopping) return true;
  return false;
}

export function nextLookAtMs(steps: readonly Step[]): number {
  let atMs = Number.POSITIVE_INFINITY;
  for (const step of steps) if (step.kind === 'look-again') atMs = Math.min(atMs, step.atMs);
  return atMs;
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
