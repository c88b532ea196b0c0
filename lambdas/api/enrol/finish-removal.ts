import type { EdgeIdentity, EdgesStore } from '../../../adapters/dynamodb/edges-store.ts';
import type { ControlPlane } from '../../../adapters/iot/control-plane.ts';

/** The end of an edge that has left its cell: its certificate, its shadows, its secrets and its name. */
export async function finishRemoval(
  deps: { readonly edges: EdgesStore; readonly iot: ControlPlane },
  identity: EdgeIdentity,
): Promise<void> {
  await deps.iot.remove(identity.edge, identity.certificateId);
  await deps.edges.forget(identity);
}
