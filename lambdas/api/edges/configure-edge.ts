import { ProblemError } from '../../../core/contract/problem.ts';
import type { EdgeConfig } from '../../../core/model/cell.ts';
import { changeAttemptsMax } from '../../../core/model/limits.ts';
import type { EdgeName } from '../../../core/model/names.ts';
import type { EdgesStore, StoredEdge } from '../../../core/ports/edges.ts';
import { type Call, edgeOfPath } from '../http/call.ts';
import { contended } from '../http/outage.ts';
import { checkVersion, type Precondition, readPrecondition } from '../http/precondition.ts';
import type { Context } from '../operation.ts';
import { visibleEdge } from './view/visible-edge.ts';

export type ConfigChange = (config: EdgeConfig) => EdgeConfig;

export type EdgeChange = { readonly name: EdgeName; readonly precondition: Precondition };

/** What every change of an edge is asked with. */
export function readEdgeChange(call: Call): EdgeChange {
  return { name: edgeOfPath(call), precondition: readPrecondition(call) };
}

/**
 * Changes an edge's settings against the version that was read. Who named a version and lost the
 * race learns it; who named none meant the edge as it is, and the change is made again on what is
 * there now. Settings that cannot be read are not changed, unless they are of no use any more.
 */
export async function configureEdge(
  { name, precondition }: EdgeChange,
  { caller }: Context,
  deps: { readonly edges: EdgesStore },
  change: ConfigChange,
  unreadable: 'refused' | 'replaced' = 'refused',
): Promise<StoredEdge> {
  for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
    const edge = await visibleEdge(name, caller, deps);
    if (edge.settingsUnknown && unreadable === 'refused') {
      throw new ProblemError(
        'conflict',
        'The settings of this edge cannot be read: mend them first.',
      );
    }
    checkVersion(precondition, edge.version);
    const config = change(edge.config);
    if (edge.settingsUnknown) {
      if (!(await deps.edges.replaceSettings(edge.cell, edge.name, config))) continue;
      return { ...edge, config, version: 1 };
    }
    if (await deps.edges.configure(edge.cell, edge.name, config, edge.version)) {
      return { ...edge, config, version: edge.version + 1 };
    }
    if ((precondition.match?.versions ?? null) !== null) {
      throw new ProblemError('precondition-failed');
    }
  }
  throw contended();
}
