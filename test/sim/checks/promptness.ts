import type { Cell } from '../../../core/model/cell.ts';
import { jobsIn, openJobsIn } from '../table/jobs-in.ts';
import type { World } from '../world.ts';
import { must } from './truth.ts';

/** Less than the time between two ticks, which would find what got lost. */
const promptMs = 20_000;

/**
 * When nothing is wrong, a job is under way at once: nobody waits for the tick to find it. Where
 * all edges of a cell take their work by themselves it waits for them.
 */
export async function checkPromptness(world: World): Promise<void> {
  const { timeline, random } = world;
  await world.run(timeline.nowMs + settleMs);
  if (![...world.stored.cells.values()].every(isServed)) return;
  const chunks = 30 * world.stored.cells.size;
  world.chunks.fates.set('prompt', { chunkMs: 20, failing: new Map(), deadly: null });
  await world.run(timeline.nowMs + random.between(0, 60_000));
  const beganMs = timeline.nowMs;
  world.users.submit('prompt', { chunks, chunkPower: 100 }).catch((error) => world.fail(error));
  const isOver = () => jobsIn(world.stored).length > jobs && openJobsIn(world.stored).length === 0;
  const jobs = jobsIn(world.stored).length;
  const isPrompt = await world.run(beganMs + promptMs, isOver);
  must(world.violation !== null || isPrompt, () => 'a job in a calm world waits for the tick');
}

/** Edges that failed or were lost are given work again after it. */
const settleMs = 30 * 60_000;

function isServed({ edges }: Cell): boolean {
  return [...edges.values()].some(({ config }) => config.pull == null);
}
