import { describe } from 'vitest';
import { auditContract } from './audit.ts';
import { cellsContract } from './cells.ts';
import { edgeEnrolmentsContract } from './edge-enrolments.ts';
import { edgeSettingsContract } from './edge-settings.ts';
import { fleetContract } from './fleet.ts';
import { idempotencyContract } from './idempotency.ts';
import { inventoryContract } from './inventory.ts';
import { jobChangesContract } from './job-changes.ts';
import { jobStatsContract } from './job-stats.ts';
import { jobsContract } from './jobs.ts';
import { movesContract } from './moves.ts';
import { poolsContract } from './pools.ts';
import { queuesContract } from './queues.ts';
import { rollupsContract } from './rollups.ts';
import { type Contract, onEveryStore } from './stores.ts';
import { tokensContract } from './tokens.ts';

/** Every port that keeps something, by its contract. */
const contracts: Readonly<Record<string, Contract>> = {
  cells: cellsContract,
  moves: movesContract,
  fleet: fleetContract,
  inventory: inventoryContract,
  rollups: rollupsContract,
  'edge enrolments': edgeEnrolmentsContract,
  'edge settings': edgeSettingsContract,
  pools: poolsContract,
  queues: queuesContract,
  tokens: tokensContract,
  audit: auditContract,
  idempotency: idempotencyContract,
  'job statistics': jobStatsContract,
  jobs: jobsContract,
  'job changes': jobChangesContract,
};

for (const [name, contract] of Object.entries(contracts)) {
  describe(name, () => onEveryStore(contract));
}
