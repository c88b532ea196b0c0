import type { EnrolBody } from '../../../core/contract/edge-body.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import type { EdgeCaller } from '../../../core/model/caller.ts';
import { changeAttemptsMax, renewalRepeatMs } from '../../../core/model/limits.ts';
import { edgeNameOf } from '../../../core/model/names.ts';
import type { EdgeIdentity } from '../../../core/ports/edges.ts';
import { audit } from '../http/audit.ts';
import type { Answer, Call } from '../http/call.ts';
import { contended } from '../http/outage.ts';
import { contextOf } from '../operation.ts';
import { newSecret } from '../tokens/new-secret.ts';
import type { EnrolPorts } from './enrolled.ts';
import { certify, enrolled } from './enrolled.ts';

/**
 * `POST /v1/edges` with an edge's own secret: its own record, and with a signing request a fresh
 * certificate, for the same key or a new one. Without a request it keeps the certificate that it
 * has, if any.
 *
 * The answer may be lost, so nothing that the edge holds ends here: the secret it came with stays
 * beside the new one, and the certificate it had stays valid until the next renewal. A repeated
 * request with the same key soon after gets the same certificate, so that retries do not use up
 * certificates.
 */
export async function renewEdge(
  call: Call,
  deps: EnrolPorts,
  caller: EdgeCaller,
  asked: Renewal,
): Promise<Answer> {
  for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
    const answer = await renewOnce(call, deps, caller, asked);
    if (answer !== 'conflict') return answer;
  }
  throw contended();
}

type Renewal = { readonly body: EnrolBody; readonly keyHash: string | null };

async function renewOnce(
  call: Call,
  deps: EnrolPorts,
  caller: EdgeCaller,
  { body, keyHash }: Renewal,
): Promise<Answer | 'conflict'> {
  const name = edgeNameOf(body.name);
  const known = await deps.edges.identify(name);
  if (known === null || known.removingSinceMs !== null) {
    throw new ProblemError('forbidden', 'The edge is being removed.');
  }
  const secret = newSecret(call.nowMs);
  const credentials = [caller.tokenHash, secret.hash];
  if (body.csr === null || isRepeated(known, keyHash, call.nowMs)) {
    const same = { ...known, credentials };
    if (!(await deps.edges.renew(known, same))) return 'conflict';
    return enrolled(deps, same, secret, call.nowMs);
  }
  const { previousCertificateId } = known;
  if (previousCertificateId !== null) await deps.iot.discard(name, previousCertificateId);
  const certificate = await certify(deps, name, body.csr);
  const renewed: EdgeIdentity = {
    ...known,
    keyHash,
    credentials,
    certificateId: certificate.id,
    certificate: certificate.pem,
    previousCertificateId: known.certificateId,
    renewedAtMs: call.nowMs,
  };
  if (!(await deps.edges.renew(known, renewed))) {
    await deps.iot.discard(name, certificate.id);
    return 'conflict';
  }
  await audit(contextOf(call), deps, 'edge-certificate-renewed', name);
  return enrolled(deps, renewed, secret, call.nowMs);
}

function isRepeated(known: EdgeIdentity, keyHash: string | null, nowMs: number): boolean {
  const { renewedAtMs } = known;
  if (renewedAtMs === null || known.keyHash !== keyHash) return false;
  return nowMs - renewedAtMs < renewalRepeatMs;
}
