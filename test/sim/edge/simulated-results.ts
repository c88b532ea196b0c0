import type { JobOutputs } from '../../../core/model/job.ts';
import { type EdgeName, type JobId, parseJobId } from '../../../core/model/names.ts';
import { chunksOf, emptyRanges, parseRanges } from '../../../core/model/ranges.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import type { ProgressReportJson } from '../../../core/protocol/progress-report.ts';
import { keyOf } from '../../../edge-agent/executors/executor.ts';
import type { Clock } from '../../../edge-agent/host/clock.ts';
import type {
  ResultSender,
  SendOutcome,
  WantedResults,
} from '../../../edge-agent/results/result-sender.ts';
import { Violation } from '../checks/truth.ts';
import type { SeededRandom } from '../seeded-random.ts';

export type ResultsWorld = {
  jobOf(id: JobId): StoredJob | undefined;
  /** Of the API. */
  readonly isUp: boolean;
  readonly network: { isUp(edge: EdgeName): boolean };
  /** What an edge had done it may do again. */
  readonly chunks: { unwritten(edge: EdgeName, chunks: Iterable<string>): void };
  fail(error: unknown): void;
};

const outputs: JobOutputs = { paths: ['result/**'], on: 'done', maxMb: 1 };

/**
 * What chunks leave: directories on the disks of edges, and lists in a store that is as far away as
 * the API. A chunk that an edge reports as done has its list there, whatever was killed between.
 */
export class SimulatedResults {
  readonly #random: SeededRandom;
  readonly #world: ResultsWorld;
  readonly #kept = new Set<string>();
  readonly #chance: number;

  constructor(random: SeededRandom, world: ResultsWorld) {
    this.#random = random;
    this.#world = world;
    this.#chance = random.chance(0.35) ? 0.6 : 0;
  }

  /** What a job says of results: of most nothing. */
  draw(): { readonly outputs?: JobOutputs } {
    if (!this.#random.chance(this.#chance)) return {};
    return { outputs: { ...outputs, on: this.#random.pick(['done', 'always']) } };
  }

  /** Of a disk without power: what was not synced is gone. */
  losePower(directories: Set<string>): void {
    for (const key of [...directories]) {
      if (this.#random.chance(0.3)) directories.delete(key);
    }
  }

  senderOf(edge: EdgeName, directories: Set<string>, clock: Clock): ResultSender {
    const [random, world] = [this.#random, this.#world];
    const isReached = (): boolean => world.isUp && world.network.isUp(edge);
    const undone = (chunk: string): void => world.chunks.unwritten(edge, [chunk]);
    const underWay = new Map<string, () => void>();
    const forget = (key: string): void => {
      underWay.delete(key);
      directories.delete(key);
    };
    const attempt = (wanted: WantedResults, ended: (outcome: SendOutcome) => void): void => {
      const { name } = wanted;
      const [key, chunk] = [keyOf(name), `${name.job}/${name.chunk}`];
      const later = (ms: number, run: () => void) => underWay.set(key, clock.after(ms, run));
      later(random.between(5, 4_000), () => {
        if (!directories.has(key)) {
          forget(key);
          undone(chunk);
          return ended('gone');
        }
        const isLost = !isReached() || random.chance(0.2);
        // A list that is lost on its way, or one whose answer is.
        if (!isLost || (isReached() && random.chance(0.5))) this.#kept.add(chunk);
        if (isLost) return attempt(wanted, ended);
        // Whoever is killed here has stored it and does not know.
        later(random.between(1, 300), () => {
          forget(key);
          ended('safe');
        });
      });
    };
    return {
      send(wanted, ended) {
        if (!underWay.has(keyOf(wanted.name))) attempt(wanted, ended);
      },
      drop(name) {
        underWay.get(keyOf(name))?.();
        forget(keyOf(name));
        undone(`${name.job}/${name.chunk}`);
      },
    };
  }

  /** What an edge itself says is done. */
  reported(edge: EdgeName, { w }: ProgressReportJson): void {
    for (const [job, entry] of Object.entries(w)) {
      const id = parseJobId(job);
      if (id === null || this.#world.jobOf(id)?.spec.outputs === undefined) continue;
      for (const chunk of chunksOf(parseRanges(entry?.d ?? '') ?? emptyRanges)) {
        if (this.#kept.has(`${job}/${chunk}`)) continue;
        const sentence = `${edge} reports ${job}/${chunk}, and its results are nowhere`;
        this.#world.fail(new Violation(sentence));
      }
    }
  }
}
