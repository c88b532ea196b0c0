import type { EdgeName } from '../../../core/model/names.ts';
import type { ClustersStore, GraphDocuments } from '../../../core/ports/clusters.ts';
import type { ControlPlane } from '../../../core/ports/control-plane.ts';
import type { EdgeIdentity, EdgesStore } from '../../../core/ports/edges.ts';
import { endingAloneMs } from '../../limits.ts';

/**
 * The end of an edge that has left its cell: its certificate, its shadows, its secrets and its
 * name. `false`: somebody else is at it. Two at once would be one too many: what the second one
 * deletes may belong to an edge that has just been given the name.
 */
export async function finishRemoval(
  deps: ClusterRemains & { readonly edges: EdgesStore; readonly iot: ControlPlane },
  identity: EdgeIdentity,
  nowMs: number,
): Promise<boolean> {
  if (!(await deps.edges.claimEnd(identity, nowMs, nowMs + endingAloneMs))) return false;
  await forgetCluster(deps, identity.edge);
  await revokeCertificates(deps, identity);
  await deps.edges.forget(identity);
  return true;
}

export type ClusterRemains = {
  readonly clusters: Pick<ClustersStore, 'forget'>;
  readonly graphs: Pick<GraphDocuments, 'removeAll'>;
};

/** Its graph, its subsystems, its state and the tokens by which others submit to it. */
export async function forgetCluster(
  { clusters, graphs }: ClusterRemains,
  edge: EdgeName,
): Promise<void> {
  await clusters.forget(edge);
  await graphs.removeAll(edge);
}

/**
 * All certificates of an edge: the one that it was given last, and the one before that it may still
 * use.
 */
export async function revokeCertificates(
  { iot }: { readonly iot: ControlPlane },
  { edge, certificateId, previousCertificateId }: EdgeIdentity,
): Promise<void> {
  if (previousCertificateId !== null) await iot.discard(edge, previousCertificateId);
  await iot.remove(edge, certificateId);
}
