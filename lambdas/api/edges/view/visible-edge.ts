import type { EdgeAnswer } from '../../../../core/contract/edge-answer.ts';
import { notFound } from '../../../../core/contract/problem.ts';
import { type Caller, seesPool } from '../../../../core/model/caller.ts';
import { type EdgeName, poolOfCell } from '../../../../core/model/names.ts';
import { presentAt } from '../../../../core/model/presence.ts';
import type { EdgesStore, StoredEdge } from '../../../../core/ports/edges.ts';
import type { Versioned } from '../../http/etag.ts';
import { edgeView } from './edge-view.ts';

export type EdgeReading = { readonly edges: EdgesStore };

/** The edge of this name, or 404: also when the caller may not see its pool. */
export async function visibleEdge(
  name: EdgeName,
  caller: Caller,
  deps: EdgeReading,
): Promise<StoredEdge> {
  const identity = await deps.edges.remains(name);
  const own = caller.kind === 'edge' && caller.edge === name;
  if (identity === null || !(own || seesPool(caller, poolOfCell(identity.cell)))) {
    throw notFound(`edge "${name}"`);
  }
  const edge = await deps.edges.load(identity.cell, name);
  if (edge === null) throw notFound(`edge "${name}"`);
  return edge;
}

/** Answers of edges of one cell; the jobs of their leases are read once for all of them. */
export async function edgeViews(
  deps: EdgeReading,
  edges: readonly StoredEdge[],
  nowMs: number,
): Promise<EdgeAnswer[]> {
  const [first] = edges;
  if (first === undefined) return [];
  const jobs = new Set(edges.flatMap((edge) => [...(edge.work?.leases.keys() ?? [])]));
  const intents = await deps.edges.intents(first.cell, [...jobs]);
  return edges.map((edge) => edgeView(presentAt(edge, nowMs), intents, nowMs));
}

/** The edge as it is now, with its leases. */
export async function edgeNow(
  deps: EdgeReading,
  edge: StoredEdge,
  nowMs: number,
): Promise<Versioned<EdgeAnswer>> {
  const [view] = await edgeViews(deps, [edge], nowMs);
  return { version: edge.version, view: view! };
}
