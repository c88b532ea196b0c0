import { sequenceBlock } from '../limits.ts';

/**
 * Numbers reports, growing for ever, over restarts too. Numbers are reserved in blocks: the
 * ceiling is written down before the first of a block is used, and a restart goes on above it.
 */
export type ReportSequence = {
  next(): number;
  /** The cloud has seen this one, so later ones must be above it. */
  atLeast(sequence: number): void;
  ceiling(): number;
};

export function makeReportSequence(
  start: number,
  write: (ceiling: number) => void,
): ReportSequence {
  let current = start;
  let ceiling = start;
  return {
    next() {
      current += 1;
      if (current > ceiling) {
        ceiling = current + sequenceBlock;
        write(ceiling);
      }
      return current;
    },
    atLeast(sequence) {
      current = Math.max(current, sequence);
    },
    ceiling: () => ceiling,
  };
}
