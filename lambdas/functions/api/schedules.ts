import { randomBytes } from 'node:crypto';
import { createAuditStore } from '../../../adapters/dynamodb/access/audit-store.ts';
import { createIdempotencyStore } from '../../../adapters/dynamodb/access/idempotency-store.ts';
import { createEdgesStore } from '../../../adapters/dynamodb/fleet/edges-store.ts';
import { createPoolCells } from '../../../adapters/dynamodb/fleet/pool-cells.ts';
import { createPoolsStore } from '../../../adapters/dynamodb/fleet/pools-store.ts';
import { createJobChanges } from '../../../adapters/dynamodb/jobs/job-changes.ts';
import { createJobsStore } from '../../../adapters/dynamodb/jobs/jobs-store.ts';
import { createSchedulesStore } from '../../../adapters/dynamodb/schedules/schedules-store.ts';
import { createFiles } from '../../../adapters/s3/files.ts';
import { serve } from '../../api/http/serve.ts';
import { onTable } from '../../api/http/table-deps.ts';
import { createSchedule } from '../../api/schedules/create-schedule.ts';
import { getSchedule } from '../../api/schedules/get-schedule.ts';
import { listScheduleRuns } from '../../api/schedules/list-runs.ts';
import { listSchedules } from '../../api/schedules/list-schedules.ts';
import { patchSchedule } from '../../api/schedules/patch-schedule.ts';
import { removeSchedule } from '../../api/schedules/remove-schedule.ts';
import { runSchedule } from '../../api/schedules/run-schedule.ts';
import { requiredEnv } from '../../environment.ts';

export const schedulesOperations = {
  createSchedule,
  listSchedules,
  getSchedule,
  patchSchedule,
  removeSchedule,
  runSchedule,
  listScheduleRuns,
};

const ports = onTable({
  schedules: createSchedulesStore,
  jobs: createJobsStore,
  edges: createEdgesStore,
  cells: (table) => createPoolCells(createPoolsStore(table)),
  changes: createJobChanges,
  audit: createAuditStore,
  idempotency: createIdempotencyStore,
  random: () => ({ bytes: randomBytes }),
  allowsLoopback: () => requiredEnv('LOOPBACK_RECEIVERS') === 'allowed',
  files: () => createFiles({ bucket: requiredEnv('OUTPUTS_BUCKET') }),
});

/** Jobs that are made again and again. */
export const handler = serve('schedules', schedulesOperations, ports);
