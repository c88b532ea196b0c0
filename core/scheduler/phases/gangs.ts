import { gangNodesMax } from '../../model/limits.ts';
import { count, isEmpty, type RangeSet, take } from '../../model/ranges.ts';
import { divide } from '../divide.ts';
import { fitsDocument, grant } from '../leases/grant.ts';
import { matchingEdges } from '../pass/candidates.ts';
import { fitOf } from '../pass/capacity.ts';
import {
  type EdgeDraft,
  isActive,
  type JobDraft,
  type LeaseDraft,
  leaseFor,
  type Pass,
} from '../pass/draft.ts';
import { placeableOf } from '../pass/due-retries.ts';
import { holdersFirst } from '../pass/held-inputs.ts';
import { canAfford, jobCost } from '../plan/rows.ts';
import type { Turn } from './order-backlog.ts';
import { placesOf } from './place.ts';

/**
 * A gang runs on `nodes` edges at once or not at all: every waiting chunk gets a slot in this very
 * plan, or none does. Nothing is held while it waits, so two gangs cannot block each other
 * half-placed.
 */
export function placeGang(pass: Pass, job: JobDraft): Turn {
  const chunks = placeableOf(pass, job);
  if (isEmpty(chunks)) return 'served';
  const wanted = count(chunks);
  const nodes = Math.min(job.intent.spec.placement.nodes ?? 1, gangNodesMax);
  const holders = job.leases.filter(isActive).length;
  const edgesWanted = Math.min(Math.max(1, nodes - holders), wanted);
  const parts = gangParts(pass, job, edgesWanted, chunks);
  const allowed = withinQuota(pass, job, wanted);
  if (parts === null || !allowed) {
    job.obstacle = allowed ? 'gang-incomplete' : 'quota';
    return 'stuck';
  }
  if (!canAfford(pass, jobCost(job) + 2 * parts.length)) return 'stuck';
  for (const { lease, chunks: own } of parts) grant(pass, lease, own, count(own));
  return 'served';
}

type Part = { readonly lease: LeaseDraft; readonly chunks: RangeSet };

/**
 * As many distinct edges as asked, the roomiest, each with a part that it can run at once; `null`
 * if there are not.
 */
function gangParts(pass: Pass, job: JobDraft, nodes: number, chunks: RangeSet): Part[] | null {
  const { demand } = job;
  const extra = demand.lastPower - demand.power;
  const fitting: { edge: EdgeDraft; fit: number }[] = [];
  for (const edge of holdersFirst(job.intent.spec.inputs, [...matchingEdges(pass, job)])) {
    const fit = fitOf(demand, { ...edge.free, power: edge.free.power - extra });
    if (fit > 0) fitting.push({ edge, fit });
  }
  if (fitting.length < nodes) return null;
  fitting.sort((a, b) => b.fit - a.fit);
  const edges = fitting.slice(0, nodes).map(({ edge }) => edge);
  const places = placesOf(demand, edges, demand.power);
  for (let i = 0; i < nodes; i++) places.fit[i] = fitting[i]!.fit - 1;
  const { placed, chunks: more } = divide(count(chunks) - nodes, places);
  if (placed < count(chunks) - nodes) return null;
  const parts: Part[] = [];
  let rest = chunks;
  for (let i = 0; i < nodes; i++) {
    const { taken, rest: after } = take(rest, 1 + more[i]!);
    const lease = leaseFor(pass, edges[i]!, job);
    if (!fitsDocument(lease, taken)) return null;
    parts.push({ lease, chunks: taken });
    rest = after;
  }
  return parts;
}

function withinQuota(pass: Pass, job: JobDraft, wanted: number): boolean {
  const queue = pass.queues?.get(job.intent.spec.queue);
  const quota = queue?.config.quota ?? null;
  if (queue === undefined || quota === null) return true;
  return queue.held.power + wanted * job.demand.power <= quota;
}
