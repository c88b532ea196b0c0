import type { ControlPlane } from '../../../core/ports/control-plane.ts';
import type { EdgeIdentity, EdgesStore } from '../../../core/ports/edges.ts';

/**
 * The end of an edge that has left its cell: its certificate, its shadows, its secrets and its
 * name.
 */
export async function finishRemoval(
  deps: { readonly edges: EdgesStore; readonly iot: ControlPlane },
  identity: EdgeIdentity,
): Promise<void> {
  await revokeCertificates(deps, identity);
  await deps.edges.forget(identity);
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
