import type { Execution } from '../../core/contract/resources.ts';
import { emptyRanges, parseRanges, type RangeSet } from '../../core/model/ranges.ts';
import { chunkIntervalsMax } from '../limits.ts';

/**
 * Which chunk is where, as drawn intervals. Made from the ranges of the executions: leased first,
 * what is known better painted over it. Bounded, because a job may be cut into millions of pieces
 * and a screen has a thousand columns.
 */
export type ChunkInterval = {
  readonly start: number;
  readonly end: number;
  readonly state: 'scheduled' | 'running' | 'done' | 'dead';
};

const layers = ['scheduled', 'running', 'done', 'dead'] as const;

type Ranges = Pick<Execution, 'chunks' | 'running' | 'done' | 'dead' | 'endedAt'>;

export function chunkIntervals(executions: readonly Ranges[]): ChunkInterval[] {
  const drawn: ChunkInterval[] = [];
  for (const state of layers) {
    for (const execution of executions) {
      const text = state === 'scheduled' ? leased(execution) : execution[state];
      pushIntervals(drawn, parseRanges(text ?? '') ?? emptyRanges, state);
      if (drawn.length >= chunkIntervalsMax) return drawn;
    }
  }
  return drawn;
}

/** An execution that ended holds nothing any more: only what it did stays. */
function leased(execution: Ranges): string {
  return execution.endedAt === null ? execution.chunks : '';
}

function pushIntervals(drawn: ChunkInterval[], set: RangeSet, state: ChunkInterval['state']): void {
  for (let i = 0; i < set.length && drawn.length < chunkIntervalsMax; i += 2) {
    drawn.push({ start: set[i]!, end: set[i + 1]!, state });
  }
}

/** How many chunks a range text names. */
export function countRanges(text: string | undefined): number {
  const set = parseRanges(text ?? '') ?? emptyRanges;
  let total = 0;
  for (let i = 0; i < set.length; i += 2) total += set[i + 1]! - set[i]!;
  return total;
}
