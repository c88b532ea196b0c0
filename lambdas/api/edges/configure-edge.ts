import type { EdgeConfig } from '../../../core/cell.ts';
import type { EdgesStore, StoredEdge } from '../../../core/ports/edges.ts';
import { ProblemError } from '../../../core/wire/problem.ts';
import type { Call } from '../http/call.ts';
import { checkIfMatch, versionWanted } from '../http/etag.ts';
import { visibleEdge } from '../views/visible-edge.ts';

/**
 * Changes an edge's settings against the version that was read. Who sent `If-Match` and lost the
 * race is told so; who sent none meant the edge as it is, and the change is made again on what is
 * there now.
 */
export async function configureEdge(
  call: Call,
  deps: { readonly edges: EdgesStore },
  change: (config: EdgeConfig) => EdgeConfig,
): Promise<StoredEdge> {
  for (;;) {
    const edge = await visibleEdge(call, deps);
    checkIfMatch(call, edge.version);
    const config = change(edge.config);
    if (await deps.edges.configure(edge.cell, edge.name, config, edge.version)) {
      return { ...edge, config, version: edge.version + 1 };
    }
    if (versionWanted(call) !== null) throw new ProblemError('precondition-failed');
  }
}
