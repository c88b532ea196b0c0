import { ProblemError } from '../../../core/contract/problem.ts';
import type { EdgeConfig } from '../../../core/model/cell.ts';
import type { EdgeName } from '../../../core/model/names.ts';
import type { EdgesStore, StoredEdge } from '../../../core/ports/edges.ts';
import { type Call, edgeOfPath } from '../http/call.ts';
import { checkVersion, type Precondition, readPrecondition } from '../http/precondition.ts';
import type { Context } from '../operation.ts';
import { visibleEdge } from './view/visible-edge.ts';

export type EdgeChange = { readonly name: EdgeName; readonly precondition: Precondition };

/** What every change of an edge is asked with. */
export function readEdgeChange(call: Call): EdgeChange {
  return { name: edgeOfPath(call), precondition: readPrecondition(call) };
}

/**
 * Changes an edge's settings against the version that was read. Who named a version and lost the
 * race is told so; who named none meant the edge as it is, and the change is made again on what is
 * there now.
 */
export async function configureEdge(
  { name, precondition }: EdgeChange,
  { caller }: Context,
  deps: { readonly edges: EdgesStore },
  change: (config: EdgeConfig) => EdgeConfig,
): Promise<StoredEdge> {
  for (;;) {
    const edge = await visibleEdge(name, caller, deps);
    checkVersion(precondition, edge.version);
    const config = change(edge.config);
    if (await deps.edges.configure(edge.cell, edge.name, config, edge.version)) {
      return { ...edge, config, version: edge.version + 1 };
    }
    if ((precondition.match?.versions ?? null) !== null) {
      throw new ProblemError('precondition-failed');
    }
  }
}
