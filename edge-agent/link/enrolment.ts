import type { Facts } from '../../core/protocol/facts.ts';
import type { ControlPlaneApi } from './control-plane-api.ts';
import { ControlPlaneError } from './control-plane-api.ts';
import { type Identity, loadOrMakeKey, parseEnrolment, saveIdentity } from './identity.ts';
import { makeSigningRequest } from './signing-request.ts';

/**
 * How an edge becomes known: it makes a key, sends a signing request with a short-lived token and
 * keeps what comes back. The key is on disk before anybody knows of it and the control plane knows
 * an edge by it, so an answer that is lost on its way costs nothing: the same question gives the
 * same edge again. Renewal is the same call with the edge's own secret.
 */
export type EnrolmentRequest = {
  readonly edge: string;
  readonly pool: string | null;
  readonly facts: Facts;
  readonly directory: string;
  /** What it is offered, when it takes its work by itself. */
  readonly offers: 'named' | 'pool' | null;
};

export class EnrolmentFailed extends Error {
  readonly isTemporary: boolean;
  constructor(message: string, isTemporary: boolean) {
    super(message);
    this.isTemporary = isTemporary;
  }
}

export async function enrol(
  api: ControlPlaneApi,
  credential: string,
  request: EnrolmentRequest,
): Promise<Identity> {
  const keyPem = loadOrMakeKey(request.directory);
  const body: Record<string, unknown> = {
    name: request.edge,
    capacity: request.facts.capacity,
    labels: request.facts.labels,
    facts: request.facts.facts,
    csr: makeSigningRequest(keyPem, request.edge),
  };
  if (request.pool !== null) body.pool = request.pool;
  if (request.offers !== null) Object.assign(body, { mode: 'pull', offers: request.offers });
  let answer: unknown;
  try {
    answer = await api.createEdge(credential, body);
  } catch (error) {
    throw explain(error, request.edge);
  }
  const identity = parseEnrolment(answer, request.edge, keyPem);
  if (identity === null || identity.certificate === null) {
    throw new EnrolmentFailed(`The answer to the enrolment of ${request.edge} is not one.`, true);
  }
  saveIdentity(request.directory, identity);
  return identity;
}

function explain(error: unknown, edge: string): EnrolmentFailed {
  if (!(error instanceof ControlPlaneError)) return new EnrolmentFailed(String(error), false);
  if (error.status === 409) {
    return new EnrolmentFailed(
      `An edge named ${edge} exists already. Use its data directory, remove the edge, or ` +
        'choose another --name.',
      false,
    );
  }
  if (error.isRefusal) {
    return new EnrolmentFailed(
      `The enrol token is not accepted for ${edge}: it is wrong, expired or used up. ` +
        'Ask for a new one.',
      false,
    );
  }
  return new EnrolmentFailed(`${edge} cannot enrol: ${error.message}`, error.isTemporary);
}
