import { invalid, ProblemError } from '../../../core/contract/problem.ts';
import type { EdgeName } from '../../../core/model/names.ts';
import type { Certificate } from '../../../core/ports/control-plane.ts';
import type { EdgeIdentity } from '../../../core/ports/edges.ts';
import { edgeViews } from '../edges/view/visible-edge.ts';
import type { Answer } from '../http/call.ts';
import { etagOf } from '../http/etag.ts';
import type { Ports } from '../ports.ts';
import type { NewSecret } from '../tokens/new-secret.ts';

/** What enrolling an edge needs, whichever way it goes. */
export type EnrolPorts = Pick<
  Ports,
  | 'edges'
  | 'clusters'
  | 'graphs'
  | 'pools'
  | 'tokens'
  | 'audit'
  | 'idempotency'
  | 'iot'
  | 'trustAnchor'
>;

/** What an edge gets when it enrols, enrols again or renews: the same for all three. */
export async function enrolled(
  deps: EnrolPorts,
  identity: EdgeIdentity,
  secret: NewSecret,
  nowMs: number,
  submitToken?: NewSecret,
): Promise<Answer> {
  const stored = await deps.edges.load(identity.cell, identity.edge);
  if (stored === null) throw new ProblemError('edge-exists', 'The edge is being removed.');
  const [edge] = await edgeViews(deps, [stored], nowMs);
  const body = {
    edge,
    certificate: identity.certificate,
    caCertificate: deps.trustAnchor,
    mqttEndpoint: await deps.iot.endpoint(),
    thing: deps.iot.thingOf(identity.edge),
    token: secret.id,
    secret: secret.secret,
    ...(submitToken === undefined ? {} : { submitToken: submitToken.secret }),
  };
  const headers = {
    etag: etagOf(stored.version, edge),
    location: `/v1/edges/${identity.edge}`,
  };
  return { status: 201, headers, body };
}

/** What the certificate authority finds wrong with a request is the user's to know. */
export async function certify(
  deps: Pick<Ports, 'iot'>,
  name: EdgeName,
  csr: string,
): Promise<Certificate> {
  const outcome = await deps.iot.enrol(name, csr);
  if (outcome.kind === 'certified') return outcome.certificate;
  throw invalid('/csr', `The certificate authority refused the request: ${outcome.reason}`);
}
