import { type SeededRandom, seededRandom } from '../seeded-random.ts';
import { batchJobsIn } from '../table/jobs-in.ts';
import type { World } from '../world.ts';

/** Many small jobs at the same moment. */

/** What a change of the whole job says again. */
const small = {
  priority: 50,
  retries: { attempts: 3, backoffSeconds: 1, maxFailedChunks: null },
  requires: { edges: [] },
};

/** Several users submit something small at the same moment. */
export function layOutBursts(world: World, random: SeededRandom): void {
  for (let burst = 0; burst < 2; burst++) {
    const atMs = random.between(0, 60_000);
    const jobs = random.between(2, 4);
    for (let job = 0; job < jobs; job++) {
      const name = `burst-${burst}-${job}`;
      const chunks = random.between(1, 3);
      world.chunks.fates.set(name, { chunkMs: 2_000, failing: new Map(), deadly: null });
      const queue = random.pick(['small', 'default']);
      const body = { chunks, chunkPower: 100, queue, ...small };
      world.timeline.after(atMs, 'submit', () => world.users.submit(name, body));
    }
  }
  layOutBatch(world, random);
}

/** Of some that fit one transaction, and some that do not. */
function layOutBatch(world: World, random: SeededRandom): void {
  const jobs = random.pick([3, 30, 60]);
  const names = Array.from({ length: jobs }, (_, at) => `batch-${at}`);
  const fate = { chunkMs: 300, failing: new Map(), deadly: null };
  for (const name of names) world.chunks.fates.set(name, fate);
  const isWaiting = random.chance(0.3);
  world.timeline.after(random.between(0, 60_000), 'submit', () => {
    const others = batchJobsIn(world.stored).map(({ id }) => id);
    const dependsOn = isWaiting && others.length > 0 ? [random.pick(others)] : [];
    return world.users.submitBatch(names, { chunks: 1, chunkPower: 50, dependsOn, ...small });
  });
}

/**
 * Where few jobs are a deep backlog: more of them than a pass reads. Some go before others, or have
 * to be through in time.
 */
export function layOutCrowd(world: World): void {
  if (world.table.shelf.shelfHeads === undefined) return;
  const random = seededRandom(world.seed).stream('crowd');
  const lines = random.between(1, 3);
  for (let line = 0; line < lines; line++) {
    const names = Array.from({ length: random.between(10, 50) }, (_, at) => `crowd-${line}-${at}`);
    const fate = { chunkMs: random.pick([2_000, 9_000]), failing: new Map(), deadly: null };
    for (const name of names) world.chunks.fates.set(name, fate);
    const body = {
      ...small,
      chunks: random.pick([1, 1, 2]),
      chunkPower: random.pick([50, 100]),
      queue: random.pick(['small', 'default']),
      priority: random.pick([10, 50, 90]),
      ...(random.chance(0.4) && { deadlineSeconds: random.between(5, 60) }),
    };
    world.timeline.after(random.between(0, 30_000), 'submit', () =>
      world.users.submitBatch(names, body),
    );
  }
}
