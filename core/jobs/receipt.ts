import type { JobStatusAnswer } from '../contract/job-answer.ts';
import type { JobStatus } from '../model/job-status.ts';
import type { Execution, Spending } from '../model/plan.ts';
import { count } from '../model/ranges.ts';

/**
 * What a job has cost. Of a job that one cell has, what was written and sent for it is counted by
 * whoever does it, and added up in rows that are written anyway: its own rows, and its part of
 * those that it shares with others. Functions are counted, and what one takes is an average.
 *
 * Of a job of several cells, and of one that an earlier version stored, it is estimated from its
 * executions: the operations that the protocol needs when nothing is shared with other jobs, so the
 * real bill is at most this and usually less. Per execution: one `work` write to grant and one to
 * release, a `prog` report when chunks start and one at the end, and one more of each for every
 * `chunksPerReport` chunks. Per report: one message in, one out, one row, one pass.
 */
const chunksPerReport = 32;
const rowsAtSubmit = 3;
const rowsPerPass = 4;
const msPerPass = 12;
const msAtSubmit = 15;

/** List prices of us-east-1 for one each, in US dollars. */
const prices = {
  shadowUpdate: 1.25e-6,
  message: 1e-6,
  /** A write within a transaction counts twice. */
  tableWrite: 2 * 0.625e-6,
  /** 512 MB on arm64. */
  lambdaMs: 0.5 * 1.33334e-8,
} as const;

type Receipt = JobStatusAnswer['receipt'];
type Priced = Omit<Receipt, 'usd' | 'counted'>;

export function receiptOf(
  status: Pick<JobStatus, 'chunking' | 'cells' | 'foldedByCell' | 'spent'>,
  executions: readonly Execution[],
): Receipt {
  const { spent, foldedByCell } = status;
  const counted = spent !== undefined && foldedByCell;
  const figures = counted ? countedFigures(spent) : estimated(status, executions);
  return { counted, ...figures, usd: Number(usdOf(figures).toFixed(10)) };
}

/** A document is a message to its edge, and a report one from it; each is an update of a shadow. */
function countedFigures({ rows, documents, reports, calls }: Spending): Priced {
  return {
    shadowUpdates: Math.round(documents + reports),
    messages: Math.round(documents + reports),
    tableWrites: Math.round(rows),
    lambdaMs: Math.round(calls * msPerPass),
  };
}

function estimated(
  status: Pick<JobStatus, 'chunking' | 'cells'>,
  executions: readonly Execution[],
): Priced {
  const rounds = executions.map((it) => 1 + Math.floor(count(it.chunks) / chunksPerReport));
  const reports = rounds.reduce((sum, it) => sum + it, 0) + executions.length;
  const passes = reports + Math.max(1, status.cells.length);
  return {
    shadowUpdates: 2 * reports,
    messages: 3 * reports,
    tableWrites: rowsAtSubmit + rowsPerPass * passes + reports,
    lambdaMs: msAtSubmit + msPerPass * (passes + reports),
  };
}

function usdOf({ shadowUpdates, messages, tableWrites, lambdaMs }: Priced): number {
  return (
    shadowUpdates * prices.shadowUpdate +
    messages * prices.message +
    tableWrites * prices.tableWrite +
    lambdaMs * prices.lambdaMs
  );
}
