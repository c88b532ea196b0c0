import type { Cell } from '../../../core/model/cell.ts';
import type { EdgeName, JobId } from '../../../core/model/names.ts';
import type { Plan } from '../../../core/model/plan.ts';
import {
  chunksOf,
  emptyRanges,
  formatRanges,
  has,
  parseRanges,
  type RangeSet,
  rangeOf,
  subtract,
  union,
} from '../../../core/model/ranges.ts';
import type { ProgressReportJson } from '../../../core/protocol/progress-report.ts';
import type { Truth } from '../checks/truth.ts';
import type { Faults } from '../faults.ts';
import type { SeededRandom } from '../seeded-random.ts';

/**
 * Edges that lie: reports that call chunks done of any job, held in part or not at all. Nobody can
 * tell a lie about a chunk that its edge was given, so such a lie is entered as a run that counted;
 * who was given what is kept here, apart from what the rows say of it.
 */
export type Forgery = {
  /** The report as it is sent: as it is, or with a lie in it. */
  forge(edge: EdgeName, report: ProgressReportJson): ProgressReportJson;
  /** Somebody called these done in the name of the edge. */
  lied(edge: EdgeName, job: JobId, chunks: RangeSet): void;
  /** A commit is about to be judged: what edges were given they may lie about. */
  committed(before: Cell, after: Cell, plan: Plan): void;
};

export function createForgery(deps: {
  readonly random: SeededRandom;
  readonly truth: Truth;
  readonly faults: () => Faults;
  readonly jobs: () => readonly {
    readonly id: JobId;
    readonly chunking: { readonly chunks: number };
  }[];
}): Forgery {
  const { random, truth } = deps;
  const lies = new Map<string, RangeSet>();
  const given = new Map<string, RangeSet>();
  const mentioned = new Map<EdgeName, Set<string>>();
  const keyOf = (edge: string, job: string) => `${edge}/${job}`;
  const lied = (edge: EdgeName, job: JobId, chunks: RangeSet) => {
    const key = keyOf(edge, job);
    lies.set(key, union(lies.get(key) ?? emptyRanges, chunks));
  };

  return {
    lied,

    forge(edge, report) {
      const w = { ...report.w };
      // What was lied about before is taken back, as a shadow keeps what nobody mentions.
      for (const job of mentioned.get(edge) ?? []) w[job] ??= null;
      mentioned.delete(edge);
      const jobs = deps.jobs();
      if (jobs.length === 0 || !random.chance(deps.faults().forgeReport)) return { ...report, w };
      const { id, chunking } = jobs[random.between(0, jobs.length - 1)]!;
      const start = random.between(0, chunking.chunks - 1);
      const forged = rangeOf(start, random.between(start + 1, chunking.chunks));
      const own = w[id] ?? { d: '', x: null, a: '', t: null, m: null, q: null, p: null };
      lied(edge, id, forged);
      mentioned.set(edge, new Set([id]));
      return {
        ...report,
        w: { ...w, [id]: { ...own, d: formatRanges(union(parseRanges(own.d)!, forged)) } },
      };
    },

    committed(before, after, plan) {
      for (const edge of after.edges.values()) {
        for (const [job, lease] of edge.work?.leases ?? []) {
          const key = keyOf(edge.name, job);
          given.set(key, union(given.get(key) ?? emptyRanges, lease.ranges));
        }
      }
      for (const [id, { done }] of plan.jobStatuses) {
        const was = before.jobs.get(id)?.slice.done ?? emptyRanges;
        for (const chunk of chunksOf(subtract(done, was))) {
          if (truth.hasCompleted(id, chunk)) continue;
          // One that goes with this commit has lied before.
          const liars = new Set([...before.edges.keys(), ...after.edges.keys()]);
          const isOwnLie = [...liars].some((edge) => {
            const key = keyOf(edge, id);
            return (
              has(lies.get(key) ?? emptyRanges, chunk) && has(given.get(key) ?? emptyRanges, chunk)
            );
          });
          if (isOwnLie) truth.completed(id, chunk);
        }
      }
    },
  };
}
