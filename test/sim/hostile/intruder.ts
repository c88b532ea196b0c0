import type { EdgeName, JobId } from '../../../core/model/names.ts';
import {
  chunksOf,
  formatRanges,
  parseRanges,
  type RangeSet,
  rangeOf,
} from '../../../core/model/ranges.ts';
import type { ProgressReportJson } from '../../../core/protocol/progress-report.ts';
import { type SeededRandom, seededRandom } from '../seeded-random.ts';
import type { World } from '../world.ts';

/**
 * Somebody who has the secret of one edge, and reports over HTTPS in its name, beside its agent.
 * What he says is drawn from the whole schema of a report: results and failures of any job, epochs,
 * sequences, starts, refusals, goodbyes. He may harm that edge and what it holds, and nobody else.
 */
type IntruderWorld = {
  readonly random: SeededRandom;
  readonly nowMs: () => number;
  readonly edges: () => readonly EdgeName[];
  readonly epochOf: (edge: EdgeName) => number;
  readonly jobs: () => readonly JobId[];
  /** From now on nobody knows for sure what this edge does. */
  readonly doubt: (edge: EdgeName) => void;
  /** He calls these done, and those failed. */
  readonly lies: (edge: EdgeName, job: JobId, done: RangeSet, failed: RangeSet) => void;
  readonly post: (edge: EdgeName, report: ProgressReportJson) => void;
};

export function makeIntruder(world: World): Intruder {
  const { stored, chunks, forgery, https } = world;
  const cellOf = (edge: EdgeName) => [...stored.cells.values()].find((it) => it.edges.has(edge));
  return new Intruder({
    random: seededRandom(world.seed).stream('intruder'),
    nowMs: () => world.timeline.nowMs,
    edges: () => world.members.unwanted([...world.edges.keys()]),
    epochOf: (edge) => cellOf(edge)?.edges.get(edge)?.work?.epoch ?? 0,
    jobs: () => [...stored.jobs.keys()],
    doubt: (edge) => chunks.doubtful.add(edge),
    lies(edge, job, done, failed) {
      forgery.lied(edge, job, done);
      for (const chunk of chunksOf(failed)) chunks.calledFailed.add(`${job}/${chunk}`);
    },
    post(edge, report) {
      const cell = cellOf(edge);
      if (cell === undefined) return;
      world.note(`somebody reports as ${edge}: ${JSON.stringify(report)}`);
      // Whether he is refused is his own affair.
      const { postReport } = https.of(edge, cell.meta.id, false);
      postReport('', edge, report).catch(() => {});
    },
  });
}

class Intruder {
  readonly #world: IntruderWorld;
  #victim: EdgeName | null = null;

  constructor(world: IntruderWorld) {
    this.#world = world;
  }

  act(): void {
    const { random, edges, doubt, post } = this.#world;
    const known = edges();
    if (known.length === 0) return;
    this.#victim ??= random.pick(known);
    doubt(this.#victim);
    post(this.#victim, this.#report(this.#victim));
  }

  #report(edge: EdgeName): ProgressReportJson {
    const { random, nowMs, epochOf } = this.#world;
    const epoch = epochOf(edge);
    const b = random.pick(['', 'he', 'him', `${edge}-1`, `${edge}-2`]);
    return {
      b,
      e: random.pick([epoch, epoch, epoch + 1, 0, 2 ** 49, nowMs(), 2 ** 53 - 1]),
      n: random.pick([null, 0, 1, 50, 1_000_000]),
      f: random.pick([0, 1, 250, 1e308, -5]),
      w: this.#entries(edge),
      ...(random.chance(0.2) && { i: random.pick([1, 4, 3_600]) }),
      ...(random.chance(0.1) && { z: b }),
      ...(random.chance(0.1) && { q: ['nobody'] }),
    };
  }

  #entries(edge: EdgeName): ProgressReportJson['w'] {
    const { random, jobs, lies } = this.#world;
    const known = [...jobs()];
    const entries = new Map<string, ProgressReportJson['w'][string]>();
    if (random.chance(0.1)) entries.set('nobody', null);
    for (let times = known.length === 0 ? 0 : random.between(0, 3); times > 0; times--) {
      const job = random.pick(known);
      const done = this.#ranges();
      const failed = parseRanges(this.#ranges())!;
      lies(edge, job, parseRanges(done)!, failed);
      const x: Record<string, number | string> = {};
      for (const chunk of chunksOf(failed)) x[chunk] = random.pick([1, 255, 'timeout', 'killed']);
      entries.set(job, {
        d: done,
        x,
        a: this.#ranges(),
        t: random.pick([null, `2:0-150`, '99:0-3', '0:1']),
        m: random.pick([null, 0, 1, 1e15]),
        q: random.chance(0.2) ? 'he does not want it' : null,
        p: random.pick([null, '0:50', '0-40:100', '3:7,4:99']),
        ...(random.chance(0.2) && { y: this.#ranges() }),
      });
    }
    return Object.fromEntries(entries);
  }

  #ranges(): string {
    const { random } = this.#world;
    if (random.chance(0.4)) return '';
    const start = random.between(0, 20);
    return formatRanges(rangeOf(start, start + random.between(1, 20)));
  }
}
