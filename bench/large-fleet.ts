import { largeFleet, measureLargeFleet } from './core/large-fleet.ts';
import type { Figures } from './run.ts';

/**
 * A million edges of a hundred shapes in 4,000 cells, and a thousand jobs of ten million chunks, to
 * the end, on one core: half an hour. `EDGEWISE_BENCH_CELLS` makes the fleet smaller, with as many
 * jobs for each cell.
 */
export async function run(): Promise<readonly Figures[]> {
  const cells = Number(process.env.EDGEWISE_BENCH_CELLS ?? largeFleet.cells);
  const jobs = Math.ceil((largeFleet.jobs * cells) / largeFleet.cells);
  return measureLargeFleet({ cells, jobs });
}
