import { auditContract } from './audit.ts';
import { cellsContract } from './cells.ts';
import { clustersContract } from './clusters.ts';
import { edgeEnrolmentsContract } from './edge-enrolments.ts';
import { edgeMovesContract } from './edge-moves.ts';
import { edgeSettingsContract } from './edge-settings.ts';
import { endNoticesContract } from './end-notices.ts';
import { fleetContract } from './fleet.ts';
import { fleetLogContract } from './fleet-log.ts';
import { generationsContract } from './generations.ts';
import { idempotencyContract } from './idempotency.ts';
import { inventoryContract } from './inventory.ts';
import { jobChangesContract } from './job-changes.ts';
import { jobStatsContract } from './job-stats.ts';
import { jobsContract } from './jobs.ts';
import { liveOutputContract } from './live-output.ts';
import { movesContract } from './moves.ts';
import { poolsContract } from './pools.ts';
import { queuesContract } from './queues.ts';
import { rollupsContract } from './rollups.ts';
import { schedulesContract } from './schedules.ts';
import { shelvesContract } from './shelves.ts';
import type { Contract } from './stores.ts';
import { submissionsContract } from './submissions.ts';
import { tokensContract } from './tokens.ts';
import { webhooksContract } from './webhooks.ts';

/** Every port that keeps something, by its contract. */
export const storeContracts: Readonly<Record<string, Contract>> = {
  cells: cellsContract,
  'jobs on a shelf': shelvesContract,
  moves: movesContract,
  fleet: fleetContract,
  inventory: inventoryContract,
  rollups: rollupsContract,
  'edge enrolments': edgeEnrolmentsContract,
  'edge moves': edgeMovesContract,
  'edge settings': edgeSettingsContract,
  clusters: clustersContract,
  pools: poolsContract,
  queues: queuesContract,
  tokens: tokensContract,
  audit: auditContract,
  idempotency: idempotencyContract,
  submissions: submissionsContract,
  schedules: schedulesContract,
  webhooks: webhooksContract,
  'end notices': endNoticesContract,
  'job statistics': jobStatsContract,
  'live output': liveOutputContract,
  'fleet log': fleetLogContract,
  jobs: jobsContract,
  'job changes': jobChangesContract,
  'generations of services': generationsContract,
};
