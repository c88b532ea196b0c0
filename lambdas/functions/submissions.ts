import { createClustersStore } from '../../adapters/dynamodb/fleet/cluster-store.ts';
import { createEdgesStore } from '../../adapters/dynamodb/fleet/edges-store.ts';
import { createPoolCells } from '../../adapters/dynamodb/fleet/pool-cells.ts';
import { createPoolsStore } from '../../adapters/dynamodb/fleet/pools-store.ts';
import { createJobChanges } from '../../adapters/dynamodb/jobs/job-changes.ts';
import { createJobsStore } from '../../adapters/dynamodb/jobs/jobs-store.ts';
import { createSubmissionsStore } from '../../adapters/dynamodb/jobs/submissions-store.ts';
import { createSchedulesStore } from '../../adapters/dynamodb/schedules/schedules-store.ts';
import type { Submission } from '../../core/model/submission.ts';
import { chooseFor } from '../api/jobspecs/choose-again.ts';
import { eventHandler } from '../event-handler.ts';
import { createLog } from '../log.ts';
import { runDueSchedules } from '../schedules/run-due.ts';
import { continueSubmissions } from '../submissions/continue-submissions.ts';
import { placeWaiting } from '../submissions/place-waiting.ts';
import { openTable } from '../table.ts';

const log = createLog({ function: 'submissions' }, Date.now);
const table = openTable();
const pools = createPoolsStore(table);
const asked = { edges: createEdgesStore(table), pools, clusters: createClustersStore(table) };
const deps = {
  submissions: createSubmissionsStore(table),
  jobs: createJobsStore(table),
  edges: asked.edges,
  changes: createJobChanges(table),
  cells: createPoolCells(pools),
  schedules: createSchedulesStore(table),
  choose: (submission: Submission, nowMs: number) => chooseFor(submission, nowMs, asked),
  log,
};

/**
 * Once a minute makes the jobs of schedules whose time has come, looks for a place for jobspecs
 * that wait for one, and goes on with those whose makers are gone; apart from the tick, because it
 * reads YAML.
 */
export const handler = eventHandler(log, async (): Promise<void> => {
  await runDueSchedules(Date.now(), deps);
  await placeWaiting(Date.now(), deps);
  await continueSubmissions(Date.now(), deps);
});
