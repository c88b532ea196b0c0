import type { JobState } from '../../../core/model/job.ts';
import { type EdgeName, edgeNameOf, type JobId } from '../../../core/model/names.ts';
import { chunksOf, emptyRanges, parseRanges } from '../../../core/model/ranges.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import type { ProgressReportJson } from '../../../core/protocol/progress-report.ts';
import type { ChunkOrder } from '../../../edge-agent/executors/executor.ts';
import type { ChunkFate } from '../edge/simulated-edge.ts';
import { hashText, type SeededRandom } from '../seeded-random.ts';
import type { InstanceBook } from '../services/instance-book.ts';
import { must, type Truth } from './truth.ts';

/** What becomes of the chunks of a job, by the name of the job. */
export type JobFate = {
  readonly chunkMs: number;
  /** Chunks with these numbers fail this often before they succeed; 99 is always. */
  readonly failing: ReadonlyMap<number, number>;
  /** This chunk takes its edge down, always. */
  readonly deadly: number | null;
};

/** What runs on edges, how it ends, and what of it each edge knows for good. */
export type ChunkBookDeps = {
  readonly random: SeededRandom;
  readonly truth: Truth;
  readonly jobOf: (id: JobId) => StoredJob;
  readonly stateOf: (id: JobId) => JobState | undefined;
  readonly instances: InstanceBook;
};

export class ChunkBook {
  readonly fates = new Map<string, JobFate>();
  readonly #deps: ChunkBookDeps;
  /** What each edge has done, by job and chunk, and with which attempt. */
  readonly #kept = new Map<EdgeName, Map<string, number>>();
  /** What each edge has reported as done: that it remembers without power, too. */
  readonly #reportedDone = new Map<EdgeName, Set<string>>();

  isRestored = false;
  /**
   * Edges that somebody copied, or in whose name somebody else reports: each knows nothing of what
   * the other has done.
   */
  readonly doubtful = new Set<EdgeName>();
  /** Chunks that somebody called failed in the name of an edge. */
  readonly calledFailed = new Set<string>();
  /** Jobs that were done before the table was restored. */
  readonly #onceDone = new Set<JobId>();

  constructor(deps: ChunkBookDeps) {
    this.#deps = deps;
  }

  fateOf(edge: EdgeName, order: ChunkOrder): ChunkFate {
    const { job, chunk } = order;
    const { instances } = this.#deps;
    if (instances.isService(job)) return instances.fateOf(order);
    const { id, spec } = this.#deps.jobOf(job);
    const fate = this.fates.get(spec.name!)!;
    // Edges differ in speed, so that leases are stolen from the slow ones.
    const slowness = 1 + (Math.abs(hashText(edge)) % 5);
    const { random, truth } = this.#deps;
    const afterMs = Math.max(1, Math.round(fate.chunkMs * slowness * (0.5 + random.next())));
    if (chunk === fate.deadly) return { afterMs, end: 'deadly' };
    if (truth.failuresOf(id, chunk) < (fate.failing.get(chunk) ?? 0)) {
      return { afterMs, end: { kind: 'failed', failure: 1 + (chunk % 200) } };
    }
    return { afterMs, end: { kind: 'done' } };
  }

  /** A result that an edge has written down is never made again there. */
  started(edge: EdgeName, order: ChunkOrder): void {
    const { jobOf, stateOf, instances } = this.#deps;
    if (instances.isService(order.job)) {
      instances.started(order);
      return;
    }
    const { id, spec, retryEpoch } = jobOf(order.job);
    const open = spec.dependsOn.filter(
      (parent) => stateOf(parent) !== 'done' && !this.#onceDone.has(parent),
    );
    must(open.length === 0, () => `job ${id} runs and job ${open[0]} is not done`);
    // What died elsewhere in the meantime may have been brought back by a user.
    const attempt = this.#kept.get(edge)?.get(`${order.job}/${order.chunk}`);
    must(
      this.isRestored ||
        this.doubtful.has(edge) ||
        attempt === undefined ||
        (retryEpoch > 0 && order.attempt > attempt),
      () => `${edge} runs chunk ${order.chunk} of ${order.job} again`,
    );
    // What it reported was the result of the run before.
    this.#reportedDone.get(edge)?.delete(`${order.job}/${order.chunk}`);
  }

  reported(edge: EdgeName, { w }: ProgressReportJson): void {
    const reported = this.#reportedDone.get(edge) ?? new Set();
    this.#reportedDone.set(edge, reported);
    for (const [job, entry] of Object.entries(w)) {
      const done = parseRanges(entry?.d ?? '') ?? emptyRanges;
      for (const chunk of chunksOf(done)) reported.add(`${job}/${chunk}`);
    }
  }

  /** A loss of power may take the last lines of the journal, of which nothing was reported. */
  forget(edge: EdgeName): void {
    const reported = this.#reportedDone.get(edge);
    const kept = [...(this.#kept.get(edge) ?? [])].filter(([key]) => reported?.has(key));
    this.#kept.set(edge, new Map(kept));
  }

  /** A full disk took none of these, and the agent that still knew them is dead. */
  unwritten(edge: EdgeName, chunks: Iterable<string>): void {
    for (const chunk of chunks) this.#kept.get(edge)?.delete(chunk);
  }

  ended(order: ChunkOrder, end: ChunkFate['end']): void {
    const { edge, job, chunk, attempt } = order;
    const { truth, instances } = this.#deps;
    if (instances.isService(job)) {
      instances.gone(order);
      if (end === 'deadly') return;
      if (end.kind === 'done') truth.completed(job, chunk);
      else if (end.kind === 'failed') truth.failed(job, chunk);
      return;
    }
    if (end === 'deadly') {
      truth.tookItsEdgeDown(job, chunk);
      this.forget(edgeNameOf(edge));
    } else if (end.kind === 'done') {
      truth.completed(job, chunk);
      const kept = this.#kept.get(edgeNameOf(edge)) ?? new Map();
      this.#kept.set(edgeNameOf(edge), kept);
      kept.set(`${job}/${chunk}`, attempt);
    } else if (end.kind === 'failed') truth.failed(job, chunk);
  }

  /**
   * The table was restored: what edges did by documents that it knows nothing of they may be asked
   * for again, and they work on what waited for jobs that are not done any more.
   */
  restored(done: ReadonlySet<JobId>): void {
    this.isRestored = true;
    for (const id of done) this.#onceDone.add(id);
  }
}
