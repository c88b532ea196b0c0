import { formatRanges, has, type RangeSet } from '../../../core/model/ranges.ts';

/**
 * What really happened, whoever knows of it: the simulation's own book, against which everything
 * that the system says is held. The system never reads it.
 */
export type Truth = {
  /** A chunk ran to its end somewhere. */
  completed(job: string, chunk: number): void;
  failed(job: string, chunk: number): void;
  tookItsEdgeDown(job: string, chunk: number): void;
  hasCompleted(job: string, chunk: number): boolean;
  failuresOf(job: string, chunk: number): number;
  killsOf(job: string, chunk: number): number;
  /** How often it came to any end. */
  runsOf(job: string, chunk: number): number;
  readonly runs: number;
};

export function createTruth(): Truth {
  const completed = new Map<string, number>();
  const failed = new Map<string, number>();
  const killed = new Map<string, number>();
  const add = (book: Map<string, number>, job: string, chunk: number) => {
    const key = `${job}/${chunk}`;
    book.set(key, (book.get(key) ?? 0) + 1);
  };
  const read = (book: Map<string, number>, job: string, chunk: number) =>
    book.get(`${job}/${chunk}`) ?? 0;
  let runs = 0;
  return {
    completed: (job, chunk) => {
      runs += 1;
      add(completed, job, chunk);
    },
    failed: (job, chunk) => {
      runs += 1;
      add(failed, job, chunk);
    },
    tookItsEdgeDown: (job, chunk) => add(killed, job, chunk),
    hasCompleted: (job, chunk) => read(completed, job, chunk) > 0,
    failuresOf: (job, chunk) => read(failed, job, chunk),
    killsOf: (job, chunk) => read(killed, job, chunk),
    runsOf: (job, chunk) =>
      read(completed, job, chunk) + read(failed, job, chunk) + read(killed, job, chunk),
    get runs() {
      return runs;
    },
  };
}

/** Something that must never be. The first one ends the seed. */
export class Violation extends Error {}

export function must(condition: boolean, sentence: () => string): void {
  if (!condition) throw new Violation(sentence());
}

/** Tells what is found to be wrong in the middle of something that goes on. */
export function attempt(run: () => void, defect: (error: unknown) => void): void {
  try {
    run();
  } catch (error) {
    defect(error);
  }
}

export function mustBeWithin(part: RangeSet, whole: RangeSet, sentence: string): void {
  for (let i = 0; i < part.length; i += 2) {
    const start = part[i]!;
    const end = part[i + 1]!;
    const isInside = has(whole, start) && has(whole, end - 1);
    must(isInside, () => `${sentence}: ${formatRanges(part)} is not within ${formatRanges(whole)}`);
  }
}
