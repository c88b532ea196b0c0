import { measureBacklog } from './core/backlog.ts';
import { measureFleet, measureSmallLeases } from './core/fleet.ts';
import { measureGraphs } from './core/graphs.ts';
import { measureHeldInputs } from './core/held-inputs.ts';
import { measurePass } from './core/pass.ts';
import { measurePlacement } from './core/placement.ts';
import { measureShapedPlacement } from './core/placement-shapes.ts';
import { measureServices } from './core/services.ts';
import type { Figures } from './run.ts';

/**
 * The scheduling core by itself: placement against per-chunk baselines, a pass over a full cell,
 * over one in which thousands wait and over one of services, what a chunk costs, what is fetched by
 * jobs over one data set, and a simulated fleet to its end.
 * `EDGEWISE_BENCH_CELLS` makes the fleet smaller, with as many jobs for each cell.
 */
export async function run(): Promise<readonly Figures[]> {
  const cells = Number(process.env.EDGEWISE_BENCH_CELLS ?? 400);
  const jobs = Math.round(cells * 2.5);
  const figures: Figures[] = [];
  for (const measure of [
    measurePlacement,
    measureShapedPlacement,
    measurePass,
    measureBacklog,
    measureSmallLeases,
    measureGraphs,
    measureServices,
    measureHeldInputs,
    () => measureFleet(cells, jobs),
  ]) {
    for (const figure of measure()) {
      console.error(JSON.stringify(figure));
      figures.push(figure);
    }
  }
  return figures;
}
