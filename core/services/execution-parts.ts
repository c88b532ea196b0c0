import { type Chunking, powerOf } from '../model/job.ts';
import type { Execution } from '../model/plan.ts';
import { intersect, type RangeSet, subtract, unionAll } from '../model/ranges.ts';

/**
 * What one edge ran or runs of a job: one part, or one for each generation of a service that it
 * holds. What has ended there counts to the last of them.
 */
export function partsOf(chunking: Chunking, execution: Execution): readonly Execution[] {
  const held = [...(execution.generations ?? [])].sort(([a], [b]) => a - b);
  if (held.length < 2) return [execution];
  const earlier = held.slice(0, -1);
  const rest = subtract(execution.chunks, unionAll(earlier.map(([, chunks]) => chunks)));
  return [...earlier, [held.at(-1)![0], rest] as const].map((part) =>
    partOf(chunking, execution, part),
  );
}

function partOf(
  chunking: Chunking,
  execution: Execution,
  [generation, chunks]: readonly [number, RangeSet],
): Execution {
  return {
    ...execution,
    chunks,
    done: intersect(execution.done, chunks),
    running: intersect(execution.running, chunks),
    dead: intersect(execution.dead, chunks),
    power: powerOf(chunking, chunks),
    generations: new Map([[generation, chunks]]),
  };
}
