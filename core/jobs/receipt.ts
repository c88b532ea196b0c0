import type { JobStatusAnswer } from '../contract/job-answer.ts';
import type { JobStatus } from '../model/job-status.ts';
import type { Execution } from '../model/plan.ts';
import { count } from '../model/ranges.ts';

/**
 * What a job is likely to have cost, estimated from what was counted: its executions, its cells and
 * its chunks. Nothing is metered per job, because metering would cost more than the work; the
 * figures are the operations that the protocol needs when nothing is shared with other jobs, so the
 * real bill is at most this and usually less.
 *
 * Per execution: one `work` write to grant and one to release, a `prog` report when chunks start
 * and one at the end, and one more of each for every `chunksPerReport` chunks. Per report: one
 * message in, one out, one row, one pass.
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

export function receiptOf(
  status: Pick<JobStatus, 'chunking' | 'cells'>,
  executions: readonly Execution[],
): JobStatusAnswer['receipt'] {
  const rounds = executions.map((it) => 1 + Math.floor(count(it.chunks) / chunksPerReport));
  const reports = rounds.reduce((sum, it) => sum + it, 0) + executions.length;
  const shadowUpdates = 2 * reports;
  const messages = 3 * reports;
  const passes = reports + Math.max(1, status.cells.length);
  const tableWrites = rowsAtSubmit + rowsPerPass * passes + reports;
  const lambdaMs = msAtSubmit + msPerPass * (passes + reports);
  const usd =
    shadowUpdates * prices.shadowUpdate +
    messages * prices.message +
    tableWrites * prices.tableWrite +
    lambdaMs * prices.lambdaMs;
  return { shadowUpdates, messages, tableWrites, lambdaMs, usd: Number(usd.toFixed(10)) };
}
