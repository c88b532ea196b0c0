import type { Run } from '../../core/model/job.ts';
import { executorOf } from '../../core/model/job.ts';
import { progressEveryMs } from '../../core/model/limits.ts';
import type { JobId } from '../../core/model/names.ts';
import { formatRanges, isEmpty } from '../../core/model/ranges.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import { encodeProgressReport } from '../../core/protocol/progress-report.ts';
import { noWork, parseWork, type Work } from '../../core/protocol/work.ts';
import type { EdgeMemory } from '../disk/replay.ts';
import type { ChunkName, EndedChunk, Executor } from '../executors/executor.ts';
import { wantsOutput } from '../executors/executor.ts';
import { contactEveryMs, epochReportMs, startReportMs } from '../limits.ts';
import type { Link, LinkEvents, ReportAnswer } from '../link/link.ts';
import { composeProgress } from '../report/progress.ts';
import { makeProgressPace } from '../report/progress-pace.ts';
import { makeReportSequence, type ReportSequence } from '../report/report-sequence.ts';
import { makeReporter, type Reporter } from '../report/reporter.ts';
import { compareWork, isRefill } from './arrived-work.ts';
import type { EdgeDeps } from './edge-deps.ts';
import { type Contact, makeContact } from './last-contact.ts';
import { makeLeaseWatch } from './lease-watch.ts';
import {
  emptyLedger,
  hasResults,
  type JobLedger,
  withAccepted,
  withoutResults,
  withResult,
} from './ledger.ts';
import { nextSteps, powerInUse, type Step, specKey } from './next-steps.ts';
import { makeRunningChunks } from './running-chunks.ts';

/**
 * Deciding again after the steps gives none, so two looks do; chunks that end at once may ask for
 * a few more.
 */
const looksMax = 16;

/**
 * One edge: holds what it knows, asks `nextSteps` what is missing and carries that out, journal
 * first. Whatever happens (work came, a chunk ended, a timer) only changes what it knows and asks
 * again.
 */
export class Edge {
  readonly name: string;
  readonly #deps: EdgeDeps;
  readonly #reporter: Reporter;
  #link: Link | null = null;
  #work: Work;
  #workDocument: unknown;
  readonly #ledgers: Map<JobId, JobLedger>;
  readonly #running = makeRunningChunks();
  #refusals: ReadonlyMap<JobId, string> = new Map();
  readonly #sequence: ReportSequence;
  readonly #contact: Contact;
  #mayStart = false;
  #isDeciding = false;
  #cancelWake: () => void = () => {};
  readonly #wake = (): void => this.decide();
  readonly #leaseWatch = makeLeaseWatch();
  readonly #pace = makeProgressPace();
  /** The epoch of the last work that was older than what is applied here. */
  #epochBehind = 0;

  constructor(deps: EdgeDeps, memory: EdgeMemory) {
    this.name = deps.name;
    this.#deps = deps;
    this.#work = memory.work;
    this.#workDocument = memory.workDocument;
    this.#ledgers = new Map(memory.ledgers);
    this.#sequence = makeReportSequence(memory.sequence, (n) =>
      deps.journal.append({ k: 'sequence', e: deps.name, n }),
    );
    this.#contact = makeContact(deps.clock, memory.contactAtMs, (at) =>
      deps.journal.append({ k: 'contact', e: deps.name, at }),
    );
    this.#reporter = makeReporter({
      clock: deps.clock,
      send: () => this.#report(),
      mustBeHeard: () => this.#mustBeHeard(),
    });
  }

  /**
   * Chunks that outlived the agent's last life run on; everything else the work asks for may
   * start.
   */
  begin(survivors: readonly ChunkName[]): void {
    for (const { job, chunk, attempt } of survivors) {
      this.#running.started(job, chunk, { attempt, power: this.#powerOf(job, chunk) });
    }
    this.#mayStart = true;
    this.decide();
  }

  attach(link: Link): void {
    this.#link = link;
  }

  readonly linkEvents: Omit<LinkEvents, 'revoked'> = {
    work: (document, isCurrent) => this.#workArrived(document, isCurrent),
    connected: () => {
      this.#contact.made();
      this.#reporter.connected();
      // The broker's word that this edge is here may get lost; a report proves it.
      this.#reporter.need(startReportMs);
      this.decide();
    },
    disconnected: () => {
      this.#contact.lost(this.#work.jobs.size > 0);
      this.#reporter.disconnected();
      this.decide();
    },
  };

  /** An executor says so; exactly once for each chunk that was started. */
  ended({ name, end, output, durationMs }: EndedChunk): void {
    const { job, chunk, attempt } = name;
    const known = this.#running.ended(job, chunk);
    if (known === null) return;
    // What was told to stop is not reported, unless it was done before it heard.
    const counts = end.kind === 'done' || (end.kind === 'failed' && !known.stopping);
    if (counts) {
      const failure = end.kind === 'failed' ? end.failure : null;
      this.#deps.journal.append({
        k: 'end',
        e: this.name,
        j: job,
        c: chunk,
        t: attempt,
        x: failure,
      });
      const ledger = this.#ledgers.get(job) ?? emptyLedger;
      this.#ledgers.set(job, withResult(ledger, { chunk, attempt, failure, durationMs }));
      const spec = this.#specOf(job);
      if (output !== null && spec !== null && wantsOutput({ spec }, end)) {
        this.#deps.keepOutput(name, output);
      }
    }
    this.decide();
    this.#reportEnd(job);
  }

  /** Asks what is missing and does it, until nothing is. */
  decide(): void {
    if (this.#isDeciding) return;
    this.#isDeciding = true;
    try {
      for (let looks = 0; looks < looksMax; looks++) {
        const nowMs = this.#deps.clock.nowMs();
        const steps = nextSteps(this.#view(), nowMs);
        this.#setRefusals(steps);
        let isChanged = false;
        for (const step of steps) isChanged = this.#carryOut(step) || isChanged;
        if (!isChanged) {
          this.#wakeFor(steps, nowMs);
          break;
        }
      }
    } finally {
      this.#isDeciding = false;
    }
  }

  /**
   * No new starts; what cannot outlive the agent is stopped; the last report tells what remains.
   */
  async stop(): Promise<void> {
    this.#mayStart = false;
    this.#cancelWake();
    this.#stopAll((job) => {
      const spec = this.#specOf(job);
      return spec === null || this.#executorOf(spec.run)?.outlivesAgent !== true;
    });
    await this.#reporter.flush();
    this.#reporter.stop();
    await this.#link?.stop();
  }

  memory(): EdgeMemory {
    return {
      work: this.#work,
      workDocument: this.#workDocument,
      ledgers: this.#ledgers,
      sequence: this.#sequence.ceiling(),
      contactAtMs: this.#contact.lastMs(),
    };
  }

  /** A new identity: nothing that was asked of the old one is owed any more. */
  reset(): void {
    this.#deps.journal.append({ k: 'reset', e: this.name });
    // First, so that nothing of it can start again while it is being stopped.
    this.#work = noWork;
    this.#workDocument = null;
    this.#stopAll(() => true);
    this.#ledgers.clear();
    this.#refusals = new Map();
  }

  #stopAll(isMeant: (job: JobId) => boolean): void {
    for (const [job, chunks] of [...this.#running.byJob]) {
      if (!isMeant(job)) continue;
      for (const chunk of [...chunks.keys()]) this.#stopChunk(job, chunk);
    }
  }

  #mustBeHeard(): boolean {
    const holdsWork = this.#work.jobs.size > 0 || this.#ledgers.size > 0;
    return holdsWork || this.#deps.transport === 'http';
  }

  #view() {
    return {
      edge: this.name,
      work: this.#work,
      ledgers: this.#ledgers,
      running: this.#running.byJob,
      specs: this.#deps.specs.known,
      refusal: (spec: AgentSpec, power: number) => this.#refusalOf(spec, power),
      powerMax: this.#deps.powerMax(),
      mayStart: this.#mayStart && this.#deps.journal.state() === 'ok',
      contactAtMs: this.#contact.lastMs(),
    };
  }

  #carryOut(step: Step): boolean {
    switch (step.kind) {
      case 'fetch-spec': {
        const { job, hash } = step;
        this.#deps.specs.fetch(job, hash, this.#deps.secret, this.#wake);
        return this.#deps.specs.known.get(specKey(job, hash))?.kind === 'ready';
      }
      case 'forget': {
        const { job, chunks } = step;
        this.#deps.journal.append({ k: 'forget', e: this.name, j: job, r: formatRanges(chunks) });
        const rest = withoutResults(this.#ledgers.get(job) ?? emptyLedger, chunks);
        const isEmptyNow = isEmpty(rest.done) && rest.failed.size === 0;
        if (isEmptyNow && !this.#work.jobs.has(job)) this.#ledgers.delete(job);
        else this.#ledgers.set(job, rest);
        return true;
      }
      case 'stop':
        this.#stopChunk(step.job, step.chunk);
        return true;
      case 'start':
        this.#start(step);
        return true;
      case 'refuse':
      case 'look-again':
        return false;
    }
  }

  #start({ job, spec, orders }: Step & { kind: 'start' }): void {
    const executor = this.#deps.executors.get(executorOf(spec.run));
    if (executor === undefined) return;
    const isFirst = !this.#running.byJob.has(job);
    for (const { chunk, attempt, power } of orders) {
      this.#running.started(job, chunk, { attempt, power });
    }
    executor.start(orders);
    this.#reporter.need(isFirst ? startReportMs : this.#paceOf(job));
  }

  #stopChunk(job: JobId, chunk: number): void {
    const known = this.#running.toldToStop(job, chunk);
    if (known === null) return;
    const spec = this.#specOf(job);
    const name = { edge: this.name, job, chunk, attempt: known.attempt };
    // Without its spec nobody knows who runs it: every executor may be asked, and only one knows
    // the name.
    const executors = spec === null ? this.#deps.executors.values() : [this.#executorOf(spec.run)];
    for (const executor of executors) executor?.stop(name);
    this.#reporter.need(progressEveryMs);
  }

  #setRefusals(steps: readonly Step[]): void {
    const refusals = new Map<JobId, string>();
    for (const step of steps) if (step.kind === 'refuse') refusals.set(step.job, step.reason);
    const isSame =
      refusals.size === this.#refusals.size &&
      [...refusals].every(([job, reason]) => this.#refusals.get(job) === reason);
    if (isSame) return;
    for (const [job, reason] of refusals) {
      if (!this.#refusals.has(job)) this.#deps.log(`${this.name}: refuses job ${job}: ${reason}`);
    }
    this.#refusals = refusals;
    this.#reporter.needNow();
  }

  #wakeFor(steps: readonly Step[], nowMs: number): void {
    this.#cancelWake();
    let atMs = Number.POSITIVE_INFINITY;
    for (const step of steps) if (step.kind === 'look-again') atMs = Math.min(atMs, step.atMs);
    if (atMs === Number.POSITIVE_INFINITY) return;
    this.#contact.note();
    const delayMs = Math.min(Math.max(1, atMs - nowMs), contactEveryMs);
    this.#cancelWake = this.#deps.clock.after(delayMs, this.#wake);
  }

  #workArrived(document: unknown, isCurrent: boolean): void {
    const work = parseWork(document);
    if (work === null) {
      this.#deps.log(`${this.name}: the work that arrived makes no sense; waiting for the next.`);
      return;
    }
    const arrived = compareWork(this.#work, work, isCurrent);
    if (arrived === 'behind') this.#tellEpochTo(work.epoch);
    if (arrived === 'behind' || arrived === 'known') return;
    this.#deps.journal.append({ k: 'work', e: this.name, w: document });
    const mayWait = this.#running.byJob.size > 0 && isRefill(this.#work, work);
    this.#work = work;
    this.#workDocument = document;
    this.#pace.keepOnly(work.jobs);
    this.#sequence.atLeast(work.acknowledgedSequence ?? 0);
    for (const [job, ledger] of this.#ledgers) {
      if (!work.jobs.has(job) && !hasResults(ledger)) this.#ledgers.delete(job);
    }
    this.decide();
    const isTakenBack = [...work.jobs.values()].some((entry) => !isEmpty(entry.release));
    if (isTakenBack) this.#reporter.needNow();
    // A refill of what runs is confirmed with the next progress.
    else this.#reporter.need(mayWait ? this.#paceOf() : epochReportMs);
  }

  #paceOf(...jobs: JobId[]): number {
    const of = jobs.length > 0 ? jobs : this.#running.byJob.keys();
    return this.#pace.nextMs(of, this.#deps.clock.monotonicMs());
  }

  /** Once for each epoch that is behind, since a poll brings it again and again. */
  #tellEpochTo(epoch: number): void {
    if (epoch === this.#epochBehind) return;
    this.#epochBehind = epoch;
    this.#reporter.need(epochReportMs);
  }

  #reportEnd(job: JobId): void {
    const ledger = this.#ledgers.get(job);
    const running = this.#running.byJob.get(job);
    if (this.#leaseWatch.isUrgent(job, this.#work, ledger, running)) this.#reporter.needNow();
    else this.#reporter.need(this.#paceOf(job));
  }

  async #report(): Promise<ReportAnswer> {
    const link = this.#link;
    if (link === null) return 'unanswered';
    const sequence = this.#sequence.next();
    const running = this.#running.byJob;
    const { progress, results } = composeProgress(
      {
        boot: this.#deps.boot,
        epoch: this.#work.epoch,
        freePower: Math.max(0, this.#deps.capacityPower - powerInUse({ running })),
        ledgers: this.#ledgers,
        running,
        refusals: this.#refusals,
      },
      sequence,
    );
    // A result is told when it is safe on disk; a disk that takes nothing does not keep it from
    // being told.
    await this.#deps.journal.sync();
    const answer = await link.report(encodeProgressReport(progress));
    if (answer === 'accepted') {
      for (const [job, chunks] of results) {
        const ledger = this.#ledgers.get(job);
        if (ledger !== undefined) this.#ledgers.set(job, withAccepted(ledger, sequence, chunks));
      }
      this.decide();
    }
    return answer;
  }

  #refusalOf(spec: AgentSpec, power: number): string | null {
    if (this.#executorOf(spec.run) === undefined) {
      return `executor not available here: ${executorOf(spec.run)}`;
    }
    return this.#deps.refusal(spec, power);
  }

  #executorOf(run: Run): Executor | undefined {
    return this.#deps.executors.get(executorOf(run));
  }

  #specOf(job: JobId): AgentSpec | null {
    const hash = this.#work.jobs.get(job)?.specHash;
    return hash === undefined ? null : this.#deps.specs.find(job, hash);
  }

  #powerOf(job: JobId, chunk: number): number {
    const entry = this.#work.jobs.get(job);
    const spec = this.#specOf(job);
    if (spec !== null && chunk === spec.chunks - 1) return spec.lastChunkPower;
    return entry?.chunkPower ?? 0;
  }
}
