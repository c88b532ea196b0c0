import type { Cell, CellEdge, Lease } from '../../../core/model/cell.ts';
import { takenWithinMs, unprovenPowerMax } from '../../../core/model/limits.ts';
import type { EdgeName, JobId } from '../../../core/model/names.ts';
import type { JobCellStatus, Plan } from '../../../core/model/plan.ts';
import { silenceMsMax } from '../../../core/model/presence.ts';
import {
  chunksOf,
  emptyRanges,
  isEmpty,
  type RangeSet,
  subtract,
  union,
} from '../../../core/model/ranges.ts';
import type { EdgeEvent } from '../../../core/protocol/edge-event.ts';
import { slotsInUse } from '../../../core/scheduler/pass/capacity.ts';
import type { HostileEdge } from './hostile-edge.ts';
import { chunkPower, hostileName, poolMax } from './setting.ts';

/** A tick, and two steps until it is acted on. */
const slackMs = 75_000;
const lostAfterMs = 60_000;
/** The report wakes a pass; two steps are more than enough. */
const goodbyeMs = 10_000;
/** Two agents report every few seconds each; so long it may take to see them, at the most. */
const doubledWithinMs = 600_000;

/**
 * What must be true of a fleet with a hostile edge in it, by what was really done and said, kept
 * here apart from the rows.
 */
export class FleetJudge {
  violation: Error | null = null;
  /** Chunks that honest edges really ran to their end. */
  readonly #truly = new Map<EdgeName, Set<string>>();
  readonly #gone = new Map<EdgeName, number>();
  readonly #statuses = new Map<JobId, JobCellStatus>();
  /** What the hostile edge ever held. */
  readonly #given = new Map<JobId, RangeSet>();
  #hasApplied = false;
  #saidAtMs = 0;

  fail(sentence: string): void {
    this.violation ??= new Error(sentence);
  }

  finished(edge: EdgeName, job: string, chunk: number): void {
    const set = this.#truly.get(edge) ?? new Set();
    this.#truly.set(edge, set.add(`${job}/${chunk}`));
  }

  left(edge: EdgeName, atMs: number): void {
    this.#gone.set(edge, atMs);
  }

  isBack(edge: EdgeName): void {
    this.#gone.delete(edge);
  }

  /** What the hostile edge said. */
  acted(events: readonly EdgeEvent[], nowMs: number): void {
    for (const event of events) {
      if (event.kind !== 'prog') continue;
      this.#saidAtMs = nowMs;
      if (event.progress.epoch > 0) this.#hasApplied = true;
    }
  }

  committed(plan: Plan): void {
    for (const [job, status] of plan.jobStatuses) this.#statuses.set(job, status);
    for (const [job, lease] of plan.works.get(hostileName)?.leases ?? []) {
      this.#given.set(job, union(this.#givenOf(job), lease.ranges));
    }
    for (const { edge, job, done } of plan.executions) this.#checkResults(edge, job, done);
    for (const end of plan.chunkEnds) {
      if (end.state !== 'dead' || end.edge === hostileName) continue;
      this.fail(`chunk ${end.chunk} of ${end.job} is dead on ${end.edge}, where nothing fails`);
    }
  }

  checkStep(cell: Cell, nowMs: number, hostile: HostileEdge): void {
    for (const [name, atMs] of this.#gone) {
      const leases = [...(cell.edges.get(name)!.work?.leases.values() ?? [])];
      const holds = leases.some(({ ranges, running }) => !isEmpty(subtract(ranges, running)));
      if (holds && nowMs >= atMs + goodbyeMs)
        this.fail(`${name} said goodbye and holds what it had`);
    }
    this.#checkHeld(cell.edges.get(hostileName)!);
    for (const [job, lease] of cell.edges.get(hostileName)!.work?.leases ?? []) {
      if (!isEmpty(lease.ranges)) this.#checkLease(cell, job, lease, nowMs, hostile);
    }
  }

  checkEnd(cell: Cell, submitted: readonly JobId[]): void {
    for (const job of submitted) {
      const status = this.#statuses.get(job);
      if (cell.jobs.has(job) || status === undefined) {
        this.fail(`${job} never ended`);
        continue;
      }
      const { done, dead, total } = status.counts;
      if (done + dead !== total) this.fail(`${job} ended in part`);
      const foreign = subtract(status.dead, this.#givenOf(job));
      if (!isEmpty(foreign)) this.fail(`${job} lost chunks that mallory was never given`);
    }
  }

  #givenOf(job: JobId): RangeSet {
    return this.#given.get(job) ?? emptyRanges;
  }

  #checkResults(edge: EdgeName, job: JobId, done: RangeSet): void {
    if (edge === hostileName) {
      const foreign = subtract(done, this.#givenOf(job));
      if (!isEmpty(foreign)) this.fail(`${edge} ended chunks of ${job} that it was not given`);
      return;
    }
    for (const chunk of chunksOf(done)) {
      if (this.#truly.get(edge)?.has(`${job}/${chunk}`)) continue;
      this.fail(`chunk ${chunk} of ${job} counts as done by ${edge}, which did not run it`);
    }
  }

  #checkHeld(edge: CellEdge): void {
    let power = 0;
    for (const lease of edge.work?.leases.values() ?? []) power += chunkPower * slotsInUse(lease);
    if (power > poolMax) this.fail(`${power} power is held where ${poolMax} are believed`);
    if (!this.#hasApplied && power > unprovenPowerMax) {
      this.fail(`${power} power is held by an edge that has shown nothing`);
    }
  }

  #checkLease(cell: Cell, job: JobId, lease: Lease, nowMs: number, hostile: HostileEdge): void {
    const { grantedAtMs } = lease;
    const poll = cell.edges.get(hostileName)!.report?.poll;
    const unsaidMs = nowMs - Math.max(this.#saidAtMs, grantedAtMs);
    if (poll !== undefined && unsaidMs > Math.max(lostAfterMs, silenceMsMax(poll)) + slackMs) {
      this.fail(`${job} is kept by an edge over HTTPS that is gone for ${unsaidMs} ms`);
    }
    if (this.#saidAtMs < grantedAtMs && nowMs - grantedAtMs > takenWithinMs + slackMs) {
      this.fail(`${job} is kept by an edge that never said a word of it`);
    }
    const seenByMs = hostile.sinceMs + doubledWithinMs;
    if (hostile.mood === 'doubled' && grantedAtMs > seenByMs) {
      this.fail(`${job} is given to an edge of which there are two`);
    }
  }
}
