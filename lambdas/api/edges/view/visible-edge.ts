import type { EdgeAnswer } from '../../../../core/contract/edge-answer.ts';
import { notFound } from '../../../../core/contract/problem.ts';
import { type Caller, seesPool } from '../../../../core/model/caller.ts';
import { edgeTotalsJobsMax } from '../../../../core/model/limits.ts';
import { type EdgeName, poolOfCell } from '../../../../core/model/names.ts';
import { count } from '../../../../core/model/ranges.ts';
import type { EdgesStore, StoredEdge } from '../../../../core/ports/edges.ts';
import type { JobsStore } from '../../../../core/ports/jobs.ts';
import type { Versioned } from '../../http/etag.ts';
import { type EdgeTotals, edgeView } from './edge-view.ts';

export type EdgeReading = { readonly edges: EdgesStore; readonly jobs: JobsStore };

/** The edge of this name, or 404: also when the caller may not see its pool. */
export async function visibleEdge(
  name: EdgeName,
  caller: Caller,
  deps: Pick<EdgeReading, 'edges'>,
): Promise<StoredEdge> {
  const identity = await deps.edges.identify(name);
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
): Promise<EdgeAnswer[]> {
  const [first] = edges;
  if (first === undefined) return [];
  const jobs = new Set(edges.flatMap((edge) => [...(edge.work?.leases.keys() ?? [])]));
  const [intents, totals] = await Promise.all([
    deps.edges.intents(first.cell, [...jobs]),
    Promise.all(edges.map((edge) => totalsOf(deps, edge.name))),
  ]);
  return edges.map((edge, at) => edgeView(edge, intents, totals[at]!));
}

/** The edge as it is now, with its leases. */
export async function edgeNow(deps: EdgeReading, edge: StoredEdge): Promise<Versioned<EdgeAnswer>> {
  const [view] = await edgeViews(deps, [edge]);
  return { version: edge.version, view: view! };
}

/** Added up from the executions of the edge; the oldest beyond the bound are not counted. */
async function totalsOf(deps: EdgeReading, edge: EdgeName): Promise<EdgeTotals> {
  const jobs = await deps.jobs.listOfEdge(edge, null, edgeTotalsJobsMax);
  const executions = await deps.jobs.executionsOn(edge, jobs);
  return executions.reduce(
    (sum, it) => {
      const done = count(it.done);
      const all = count(it.chunks);
      const power = all === 0 ? 0 : Math.floor((it.power * done) / all);
      return { chunksDone: sum.chunksDone + done, powerServed: sum.powerServed + power };
    },
    { chunksDone: 0, powerServed: 0 },
  );
}
