import { moveJobsMax } from '../model/limits.ts';
import { type CellId, compareCells, type JobId } from '../model/names.ts';
import { everywhereCellsMax, spreadsMax } from '../services/limits.ts';
import type { CellOffer } from './choose-cells.ts';

/** Jobs that run everywhere, and a cell of their pool that has edges and not yet these jobs. */
export type Spread = {
  readonly from: CellId;
  readonly to: CellId;
  readonly jobs: readonly JobId[];
};

/**
 * Where jobs that run everywhere are to come: to cells that have opened since they were submitted,
 * and to those that one submit could not write. Cells that have them give them on in turn. The
 * summaries say where to look; a bounded number each time.
 */
export function planSpread(offers: readonly CellOffer[], turn: number): readonly Spread[] {
  const spreads: Spread[] = [];
  for (const cells of Map.groupBy(offers, ({ pool }) => pool).values()) {
    const givers = giversOf(cells);
    if (givers.size === 0) continue;
    const room = new Map([...givers].map(([job, had]) => [job, everywhereCellsMax - had.length]));
    for (const to of [...cells].sort((a, b) => compareCells(a.id, b.id))) {
      if (spreads.length >= spreadsMax) return spreads;
      const spread = spreadTo(to, { givers, room }, turn + spreads.length);
      if (spread === null) continue;
      spreads.push(spread);
      for (const job of spread.jobs) room.set(job, room.get(job)! - 1);
    }
  }
  return spreads;
}

/** Which cells have each of these jobs. */
type Givers = ReadonlyMap<JobId, readonly CellId[]>;

type Known = { readonly givers: Givers; readonly room: ReadonlyMap<JobId, number> };

function giversOf(cells: readonly CellOffer[]): Givers {
  const givers = new Map<JobId, CellId[]>();
  for (const { id, summary } of cells) {
    for (const job of summary.everywhere ?? []) {
      const known = givers.get(job);
      if (known === undefined) givers.set(job, [id]);
      else known.push(id);
    }
  }
  return givers;
}

function spreadTo(
  { id, summary }: CellOffer,
  { givers, room }: Known,
  turn: number,
): Spread | null {
  if (summary.edges.total === 0) return null;
  const known = new Set(summary.everywhere);
  const missing = [...givers.keys()].filter((job) => !known.has(job) && room.get(job)! > 0).sort();
  const [first] = missing;
  if (first === undefined) return null;
  const able = givers.get(first)!;
  const from = able[turn % able.length]!;
  const jobs = missing.filter((job) => givers.get(job)!.includes(from));
  return { from, to: id, jobs: jobs.slice(0, moveJobsMax) };
}
