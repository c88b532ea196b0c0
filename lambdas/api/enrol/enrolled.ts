import type { EdgeIdentity } from '../../../adapters/dynamodb/edges-store.ts';
import type { Certificate } from '../../../adapters/iot/control-plane.ts';
import type { EdgeName } from '../../../core/names.ts';
import { invalid, ProblemError } from '../../../core/wire/problem.ts';
import type { Answer } from '../http/call.ts';
import { etagOf } from '../http/etag.ts';
import { edgeViews } from '../views/visible-edge.ts';
import type { EnrolDeps } from './deps.ts';
import type { NewSecret } from './new-secret.ts';

/** What an edge gets when it enrols, enrols again or renews: the same for all three. */
export async function enrolled(
  deps: EnrolDeps,
  identity: EdgeIdentity,
  secret: NewSecret,
): Promise<Answer> {
  const stored = await deps.edges.load(identity.cell, identity.edge);
  if (stored === null) throw new ProblemError('edge-exists', 'The edge is being removed.');
  const [edge] = await edgeViews(deps, [stored]);
  const body = {
    edge,
    certificate: identity.certificate,
    caCertificate: deps.trustAnchor,
    mqttEndpoint: await deps.iot.endpoint(),
    token: secret.id,
    secret: secret.secret,
  };
  const headers = {
    etag: etagOf(stored.version, edge),
    location: `/v1/edges/${identity.edge}`,
  };
  return { status: 201, headers, body };
}

/** What the certificate authority finds wrong with a request is the user's to know. */
export async function certify(deps: EnrolDeps, name: EdgeName, csr: string): Promise<Certificate> {
  try {
    return await deps.iot.enrol(name, csr);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'InvalidRequestException') throw error;
    throw invalid('/csr', `The certificate authority refused the request: ${error.message}`);
  }
}
