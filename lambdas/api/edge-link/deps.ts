import { createInventory } from '../../../adapters/dynamodb/edge-inventory.ts';
import { createEdgesStore, type EdgesStore } from '../../../adapters/dynamodb/edges-store.ts';
import { createJobsStore, type JobsStore } from '../../../adapters/dynamodb/jobs-store.ts';
import type { Table } from '../../../adapters/dynamodb/table.ts';
import { createEdgeShadows, type EdgeShadows } from '../../../adapters/iot/edge-shadows.ts';
import { createOutputs, type Outputs } from '../../../adapters/s3/outputs.ts';
import type { Inventory } from '../../../core/inventory.ts';
import { requiredEnv } from '../../environment.ts';
import { createLog, type Log } from '../../log.ts';

/** What the link of edges over HTTPS needs. */
export type EdgeLinkDeps = {
  readonly jobs: JobsStore;
  readonly edges: EdgesStore;
  readonly inventory: Inventory;
  readonly shadows: EdgeShadows;
  readonly outputs: Outputs;
  readonly log: Log;
};

export function edgeLinkDeps(table: Table): EdgeLinkDeps {
  return {
    jobs: createJobsStore(table),
    edges: createEdgesStore(table),
    inventory: createInventory(table),
    shadows: createEdgeShadows(),
    outputs: createOutputs(requiredEnv('OUTPUTS_BUCKET')),
    log: createLog({ function: 'edge-link' }, Date.now),
  };
}
