import type { Table } from '../../../adapters/dynamodb/table.ts';
import { type EdgesDeps, edgesDeps } from '../edges/deps.ts';
import { type JobsReadDeps, jobsReadDeps } from '../jobs-read/deps.ts';
import { type JobsWriteDeps, jobsWriteDeps } from '../jobs-write/deps.ts';

/** Everything that the operations behind the graph need. */
export type GraphDeps = JobsReadDeps & JobsWriteDeps & EdgesDeps;

export function graphDeps(table: Table): GraphDeps {
  const write = jobsWriteDeps(table);
  const read = jobsReadDeps(table);
  return { ...write, ...edgesDeps(table), ...read, outputs: { ...read.outputs, ...write.outputs } };
}
