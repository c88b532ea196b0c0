import { ProblemError } from '../../../core/contract/problem.ts';
import type { GraphDigest } from '../../../core/graph/digest.ts';
import { changeAttemptsMax } from '../../../core/model/limits.ts';
import { type EdgeName, poolOfCell } from '../../../core/model/names.ts';
import type { ClusterRecord, GraphCounts } from '../../../core/ports/clusters.ts';
import type { StoredEdge } from '../../../core/ports/edges.ts';
import { visibleEdge } from '../edges/view/visible-edge.ts';
import { contended } from '../http/outage.ts';
import type { Context } from '../operation.ts';
import type { Ports } from '../ports.ts';

/** A change of what an edge is as a cluster, made again while somebody else changes it, too. */
export type ClusterChange<T> = {
  readonly next: ClusterRecord;
  readonly digest: GraphDigest | null | 'as it is';
  /** What the graph counts, where it changes; `null`: there is none any more. */
  readonly counted?: GraphCounts['counted'];
  readonly outcome: T;
};

export async function changeCluster<T>(
  name: EdgeName,
  context: Context,
  deps: Pick<Ports, 'edges' | 'clusters'>,
  change: (before: ClusterRecord, edge: StoredEdge) => Promise<ClusterChange<T>>,
): Promise<T> {
  for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
    const edge = await visibleEdge(name, context.caller, deps);
    if (edge.config.removing !== null) {
      throw new ProblemError('conflict', `The edge "${name}" is being removed.`);
    }
    const seen = await deps.clusters.find(name);
    const before = seen ?? newCluster(name, poolOfCell(edge.cell));
    const { next, digest, counted, outcome } = await change(before, edge);
    const written = { ...next, writes: before.writes + 1 };
    const counts = counted === undefined ? undefined : { cell: edge.cell, counted };
    if (await deps.clusters.save(written, digest, seen, counts)) return outcome;
  }
  throw contended();
}

export function newCluster(edge: EdgeName, pool: string): ClusterRecord {
  return {
    edge,
    pool,
    version: 0,
    writes: 0,
    graph: null,
    subsystems: [],
    state: new Map(),
    submitTokens: [],
  };
}
