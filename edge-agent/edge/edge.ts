import { executorOf, type Run } from '../../core/model/job.ts';
import { progressEveryMs } from '../../core/model/limits.ts';
import type { JobId } from '../../core/model/names.ts';
import { formatRanges, isEmpty } from '../../core/model/ranges.ts';
import { type AgentSpec, chunkPowerOf } from '../../core/protocol/agent-spec.ts';
import { encodeProgressReport } from '../../core/protocol/progress-report.ts';
import { keepInlineSpecs, noWork, parseWork, type Work } from '../../core/protocol/work.ts';
import type { EdgeMemory } from '../disk/replay.ts';
import type { ChunkName, EndedChunk, Executor } from '../executors/executor.ts';
import {
  contactEveryMs,
  epochReportMs,
  pollSecondsAnnounced,
  startReportMs,
  stepLooksMax,
} from '../limits.ts';
import type { Link, LinkEvents, ReportAnswer } from '../link/link.ts';
import { type ChunkSigns, watchChunkSigns } from '../report/chunk-signs.ts';
import { composeProgress } from '../report/progress.ts';
import { makeProgressPace } from '../report/progress-pace.ts';
import { makeReportSequence, type ReportSequence } from '../report/report-sequence.ts';
import { makeReporter, type Reporter } from '../report/reporter.ts';
import { compareWork, documentOf, makeOncePerEpoch, mayWait, onlyJobs } from './arrived-work.ts';
import { type DoubledIdentity, watchIdentity } from './doubled-identity.ts';
import type { EdgeDeps } from './edge-deps.ts';
import { keepOutputs, takeEnds } from './ended-chunks.ts';
import { specHashOf } from './generations.ts';
import { type Contact, makeContact } from './last-contact.ts';
import { makeLeaseWatch } from './lease-watch.ts';
import { forgetResults, hasResults, type JobLedger, withAccepted } from './ledger.ts';
import { nextLookAtMs, nextSteps, powerInUse, type Step, specKey } from './next-steps.ts';
import { makeRefusals, type Refusals } from './refusals.ts';
import { makeRunningChunks } from './running-chunks.ts';
import { makeSendingResults, rememberedOf, type SendingResults } from './sending-results.ts';
import { countStarts, type StartCount } from './starts-without-contact.ts';

/**
 * One edge: holds what it knows, asks `nextSteps` what is missing and carries that out, journal
 * first. Whatever happens (work came, a chunk ended) only changes what it knows and asks again.
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
  readonly running = this.#running.byJob;
  readonly results: SendingResults;
  readonly refusals: Refusals;
  readonly #identity: DoubledIdentity;
  readonly #sequence: ReportSequence;
  readonly #contact: Contact;
  readonly #starts: StartCount;
  #isLeaving = false;
  #isDeciding = false;
  #cancelWake: () => void = () => {};
  readonly #wake = (): void => this.decide();
  readonly #leaseWatch = makeLeaseWatch();
  readonly #pace = makeProgressPace();
  readonly #signs: ChunkSigns;
  readonly #isFirstOf = makeOncePerEpoch();

  constructor(deps: EdgeDeps, memory: EdgeMemory) {
    this.name = deps.name;
    this.#deps = deps;
    this.#work = memory.work;
    this.#workDocument = memory.workDocument;
    this.#ledgers = new Map(memory.ledgers);
    this.#running.resume(memory.sending);
    this.#identity = watchIdentity(deps.name, deps.log, (must) => this.#link?.giveWay(must));
    this.refusals = makeRefusals((line) => deps.log(`${deps.name}: ${line}`, 'warning'));
    this.#sequence = makeReportSequence(memory.sequence, (n) =>
      deps.journal.append({ k: 'sequence', e: deps.name, n }),
    );
    this.#contact = makeContact(deps.clock, memory.contactAtMs, (at) =>
      deps.journal.append({ k: 'contact', e: deps.name, at }),
    );
    this.#starts = countStarts(deps, memory.startsWithoutContact, this.#wake);
    const signs = { running: this.#running.byJob, changed: () => this.#reporter.need(0) };
    this.#signs = watchChunkSigns({ ...deps, ...signs, specOf: (...of) => this.#specOf(...of) });
    this.results = makeSendingResults(deps, this.#running, (job, batch) => {
      batch?.addTo(this.#ledgers);
      this.decide();
      this.#reportEnd(job);
    });
    this.#reporter = makeReporter({
      clock: deps.clock,
      send: () => this.#report(),
      mustReport: () =>
        this.#work.jobs.size > 0 || this.#ledgers.size > 0 || deps.transport === 'http',
    });
  }

  /** Chunks that outlived the agent run on; what else the work asks for may start. */
  begin(survivors: readonly ChunkName[]): void {
    for (const { job, chunk, attempt } of survivors) {
      if (this.#running.byJob.get(job)?.get(chunk)?.sending !== undefined) continue;
      const known = { power: this.#powerOf(job, chunk), ...rememberedOf(this.#specOf(job, chunk)) };
      this.#running.started(job, chunk, { attempt, ...known });
    }
    this.#starts.begin(this.#work.jobs.size > 0);
    this.#signs.watch();
    this.decide();
  }

  /** What it runs has changed, though nothing has ended. */
  moved(): void {
    this.decide();
    this.#reporter.need(progressEveryMs);
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

  /** Executors say so; exactly once for each chunk that was started. */
  ended(chunks: readonly EndedChunk[]): void {
    const ends = takeEnds(this.name, chunks, this.#running);
    this.#deps.journal.append(...ends.sending, ...ends.batch.records(this.name));
    ends.batch.addTo(this.#ledgers);
    keepOutputs(ends.withOutput, (...of) => this.#specOf(...of), this.#deps.keepOutput);
    this.decide();
    for (const job of ends.jobs) this.#reportEnd(job);
  }

  /** Asks what is missing and does it, until nothing is. */
  decide(): void {
    if (this.#isDeciding) return;
    this.#isDeciding = true;
    try {
      for (let looks = 0; looks < stepLooksMax; looks++) {
        const nowMs = this.#deps.clock.nowMs();
        const steps = nextSteps(this.#view(), nowMs);
        if (this.refusals.take(steps)) this.#reporter.needNow();
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
   * No new starts; what cannot outlive the agent is stopped; the last report tells what remains,
   * and that the rest is given back.
   */
  async stop(): Promise<void> {
    this.#starts.stopped();
    this.#cancelWake();
    this.#stopAll((job, isSending) => {
      const spec = this.#specOf(job);
      const outlives = spec !== null && this.#executorOf(spec.run)?.outlivesAgent === true;
      return !isSending && !outlives;
    });
    this.#isLeaving = true;
    this.#reporter.need(0);
    await this.#reporter.flush();
    this.#reporter.stop();
    this.#signs.stop();
    await this.#link?.stop();
  }

  memory(): EdgeMemory {
    return {
      work: this.#work,
      workDocument: this.#workDocument,
      ledgers: this.#ledgers,
      sending: this.#running.sending(),
      sequence: this.#sequence.ceiling(),
      contactAtMs: this.#contact.lastMs(),
      startsWithoutContact: this.#starts.count(),
    };
  }

  /** A new identity: nothing that was asked of the old one counts any more. */
  reset(): void {
    this.#deps.journal.append({ k: 'reset', e: this.name });
    // First, so that nothing of it can start again while it is being stopped.
    this.#work = noWork;
    this.#workDocument = null;
    this.#stopAll(() => true);
    this.#ledgers.clear();
    this.refusals.take([]);
  }

  #stopAll(isMeant: (job: JobId, isSending: boolean) => boolean): void {
    for (const [job, chunks] of [...this.#running.byJob]) {
      for (const [chunk, { sending }] of [...chunks]) {
        if (isMeant(job, sending !== undefined)) this.#stopChunk(job, chunk);
      }
    }
  }

  #view() {
    return {
      edge: this.name,
      work: this.#work,
      ledgers: this.#ledgers,
      running: this.#running.byJob,
      specs: this.#deps.specs.known,
      refusal: this.#refusalOf,
      obstacle: this.#deps.obstacle,
      inputs: this.#deps.inputs.of(this.name, this.#work.jobs),
      parameters: this.#deps.parameters.of(this.name, this.#work.jobs),
      powerMax: this.#deps.powerMax(),
      capacityPower: this.#deps.capacityPower(),
      handover: this.#deps.handover ?? null,
      mayStart: this.#starts.mayStart() && this.#deps.journal.state() === 'ok',
      contactAtMs: this.#contact.lastMs(),
    };
  }

  #carryOut(step: Step): boolean {
    switch (step.kind) {
      case 'fetch-spec':
        this.#deps.specs.fetch(step, this.#deps.secret, this.#wake);
        return this.#deps.specs.known.get(specKey(step.job, step.hash))?.kind === 'ready';
      case 'fetch-inputs':
        this.#deps.inputs.fetch(step.job, step.spec, this.#deps.secret, this.#wake);
        return false;
      case 'fetch-parameters':
        return this.#deps.parameters.fetch(this.name, step, this.#deps.secret, this.#wake);
      case 'send-results':
        return this.results.send(step);
      case 'forget': {
        const { job, chunks } = step;
        this.#deps.journal.append({ k: 'forget', e: this.name, j: job, r: formatRanges(chunks) });
        forgetResults(this.#ledgers, job, chunks, this.#work.jobs.has(job));
        return true;
      }
      case 'stop':
        this.#stopChunk(step.job, step.chunk);
        return true;
      case 'start':
        // The step before it may have met a disk that takes nothing any more.
        if (this.#deps.journal.state() === 'ok') this.#start(step);
        return true;
      case 'refuse':
      case 'look-again':
        return false;
    }
  }

  #start({ job, spec, orders }: Step & { kind: 'start' }): void {
    const executor = this.#executorOf(spec.run);
    if (executor === undefined) return;
    const isFirst = !this.#running.byJob.has(job);
    for (const { chunk, attempt, power } of orders) {
      this.#running.started(job, chunk, { attempt, power, ...rememberedOf(spec) });
    }
    executor.start(orders);
    this.#signs.watch();
    this.#reporter.need(isFirst ? startReportMs : this.#paceOf(job));
  }

  #stopChunk(job: JobId, chunk: number): void {
    const known = this.#running.beginStop(job, chunk);
    if (known === null) return;
    if (this.results.drop(job, chunk, known)) return;
    const name = { edge: this.name, job, chunk, attempt: known.attempt };
    // It may run by another spec than the one now asked for; only one of these knows the name.
    for (const executor of new Set(this.#deps.executors.values())) executor.stop(name);
    this.#reporter.need(progressEveryMs);
  }

  #wakeFor(steps: readonly Step[], nowMs: number): void {
    this.#cancelWake();
    const atMs = nextLookAtMs(steps);
    if (atMs === Number.POSITIVE_INFINITY) return;
    this.#contact.note();
    const delayMs = Math.min(Math.max(1, atMs - nowMs), contactEveryMs);
    this.#cancelWake = this.#deps.clock.after(delayMs, this.#wake);
  }

  #workArrived(document: unknown, isCurrent: boolean): void {
    const work = parseWork(document);
    if (work === null) {
      this.#deps.log(`${this.name}: work that makes no sense came; waiting for more`, 'warning');
      return;
    }
    const arrived = compareWork(this.#work, work, isCurrent);
    if (arrived === 'behind' && this.#isFirstOf(work.epoch)) this.#reporter.need(epochReportMs);
    this.#identity.note(work.doubled === true);
    if (arrived === 'known') this.#starts.arrived();
    if (arrived === 'behind' || arrived === 'known') return;
    this.#deps.journal.append({ k: 'work', e: this.name, w: document });
    const isPatient = mayWait(this.#running.byJob, this.#work, work);
    this.#work = keepInlineSpecs(this.#work, work);
    this.#workDocument = documentOf(this.#work, work, document);
    this.#starts.arrived();
    this.#pace.keepOnly(work.jobs);
    this.#sequence.atLeast(work.acknowledgedSequence ?? 0);
    for (const [job, ledger] of this.#ledgers) {
      if (!work.jobs.has(job) && !hasResults(ledger)) this.#ledgers.delete(job);
    }
    this.decide();
    const isTakenBack = [...work.jobs.values()].some((entry) => !isEmpty(entry.release));
    if (isTakenBack) this.#reporter.needNow();
    else this.#reporter.need(isPatient ? this.#paceOf() : epochReportMs);
  }

  #paceOf(...jobs: JobId[]): number {
    const of = jobs.length > 0 ? jobs : this.#running.byJob.keys();
    return this.#pace.nextMs(of, this.#deps.clock.monotonicMs());
  }

  #reportEnd(job: JobId): void {
    const [ledger, running] = [this.#ledgers.get(job), this.#running.byJob.get(job)];
    if (this.#leaseWatch.isUrgent(job, this.#work, ledger, running)) this.#reporter.needNow();
    else this.#reporter.need(this.#paceOf(job));
  }

  async #report(): Promise<ReportAnswer> {
    const link = this.#link;
    if (link === null) return 'unanswered';
    const sequence = this.#sequence.next();
    const { progress, results } = composeProgress(
      {
        boot: this.#deps.boot,
        epoch: this.#work.epoch,
        freePower: Math.max(0, this.#deps.capacityPower() - powerInUse(this)),
        waits: (name) => this.#deps.handover?.waits({ edge: this.name, ...name }) ?? false,
        ledgers: this.#ledgers,
        running: this.running,
        refusals: this.refusals.byJob(),
        ...this.#signs.look(),
        work: this.#work.jobs,
        pollSeconds: this.#deps.transport === 'http' ? pollSecondsAnnounced : null,
        isLeaving: this.#isLeaving,
        diedWithoutContact: this.#starts.isHeldBack,
      },
      sequence,
    );
    // What is safe on disk is reported; a disk that takes nothing keeps nothing from it.
    await this.#deps.journal.sync();
    const answer = await link.report(encodeProgressReport(progress));
    if (answer === 'accepted') {
      for (const [job, chunks] of results) {
        const ledger = this.#ledgers.get(job);
        if (ledger !== undefined) this.#ledgers.set(job, withAccepted(ledger, sequence, chunks));
      }
      if (progress.goodbye) this.#giveBack();
      this.#identity.reported(this.#reporter);
      this.#starts.reported();
      this.decide();
    }
    return answer;
  }

  /** So that the next start does not begin with what others have been given by then. */
  #giveBack(): void {
    const kept = onlyJobs(this.#workDocument, (job) => this.#running.goesOn(job));
    if (kept !== null) this.#deps.journal.append({ k: 'work', e: this.name, w: kept });
  }

  readonly #refusalOf: EdgeDeps['refusal'] = (spec, entry) => {
    if (this.#executorOf(spec.run) === undefined) {
      return `executor not available here: ${executorOf(spec.run)}`;
    }
    return this.#deps.refusal(spec, entry);
  };

  #executorOf(run: Run): Executor | undefined {
    return this.#deps.executors.get(executorOf(run));
  }

  #specOf(job: JobId, chunk?: number): AgentSpec | null {
    const entry = this.#work.jobs.get(job);
    return entry === undefined ? null : this.#deps.specs.find(job, specHashOf(entry, chunk));
  }

  #powerOf(job: JobId, chunk: number): number {
    const spec = this.#specOf(job);
    return spec === null ? (this.#work.jobs.get(job)?.chunkPower ?? 0) : chunkPowerOf(spec, chunk);
  }
}
