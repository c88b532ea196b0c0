import { type EnrolBody, enrolBodySchema } from '../../../core/contract/edge-body.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import { graphBytesMax } from '../../../core/graph/limits.ts';
import { type Caller, type EdgeCaller, nameOfCaller } from '../../../core/model/caller.ts';
import type { EdgeConfig } from '../../../core/model/cell.ts';
import { type EdgeName, edgeNameOf, poolOfCell } from '../../../core/model/names.ts';
import type { EdgeIdentity } from '../../../core/ports/edges.ts';
import { enrolAttemptsMax } from '../../limits.ts';
import { finishRemoval } from '../../workers/edge-removal/finish-removal.ts';
import { roomIn } from '../fleet/room-in-pool.ts';
import { audit } from '../http/audit.ts';
import { type Answer, type Call, callerOf, checkQuery } from '../http/call.ts';
import { onceFor } from '../http/idempotency.ts';
import { checked, readPackedDocument } from '../http/json-body.ts';
import { contended } from '../http/outage.ts';
import { contextOf } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { hashOfSecret } from '../tokens/identify-caller.ts';
import { newSecret } from '../tokens/new-secret.ts';
import type { EnrolPorts } from './enrolled.ts';
import { certify, enrolled } from './enrolled.ts';
import {
  type EnrolledCluster,
  enrolledFacts,
  keepDocuments,
  newClusterOf,
  readEnrolledCluster,
} from './enrolled-cluster.ts';
import { publicKeyHash } from './public-key.ts';
import { renewEdge } from './renew-edge.ts';

/**
 * `POST /v1/edges`: makes an edge known. Its private key never leaves it: a signing request comes,
 * a certificate goes back, with a secret for HTTPS that is shown once. Who comes with the key of an
 * edge that is there gets its own record and one more secret; who comes with another key while the
 * name lives gets 409. With an edge's own secret it is a renewal.
 */
export const enrolEdge = { handle };

async function handle(call: Call, deps: EnrolPorts): Promise<Answer> {
  checkQuery(call, []);
  const body = checked(enrolBodySchema, readPackedDocument(call, graphBytesMax).value);
  const keyHash = body.csr === null ? null : publicKeyHash(body.csr);
  const caller = callerOf(call);
  if (caller.kind === 'edge') {
    if (body.name !== caller.edge) {
      throw new ProblemError('forbidden', 'An edge renews its own certificate only.');
    }
    return onceFor(call, deps.idempotency, () => renewEdge(call, deps, caller, { body, keyHash }));
  }
  const pool = poolFor(caller, body);
  const cluster = readEnrolledCluster(body, call.nowMs);
  if (caller.edge !== null && caller.edge !== body.name) {
    throw new ProblemError('forbidden', `This token enrols only the edge "${caller.edge}".`);
  }
  return onceFor(call, deps.idempotency, async () => {
    const known = await liveIdentity(deps, edgeNameOf(body.name), call.nowMs);
    return known === null
      ? enrolNew(call, deps, { body, pool, keyHash }, cluster)
      : enrolAgain(call, deps, known, { body, pool, keyHash });
  });
}

type Asked = {
  readonly body: EnrolBody;
  readonly pool: string;
  readonly keyHash: string | null;
};

/** Whoever lets edges in; an edge has come in already. */
type Holder = Exclude<Caller, EdgeCaller>;

function poolFor(caller: Holder, body: EnrolBody): string {
  const pool = body.pool ?? caller.pool ?? 'default';
  if (caller.pool !== null && caller.pool !== pool) {
    throw new ProblemError('forbidden', `This token enrols only into the pool "${caller.pool}".`);
  }
  return pool;
}

/** The edge that has this name, unless it was on its way out and has left its cell. */
async function liveIdentity(
  deps: Pick<Ports, 'edges' | 'clusters' | 'graphs' | 'iot'>,
  name: EdgeName,
  nowMs: number,
): Promise<EdgeIdentity | null> {
  const known = await deps.edges.identify(name);
  if (known === null) return null;
  if ((await deps.edges.load(known.cell, name)) !== null) return known;
  return (await finishRemoval(deps, known, nowMs)) ? null : deps.edges.identify(name);
}

async function enrolNew(
  call: Call,
  deps: EnrolPorts,
  asked: Asked,
  cluster: EnrolledCluster | null,
): Promise<Answer> {
  const { body, pool, keyHash } = asked;
  const caller = callerOf(call) as Holder;
  const name = edgeNameOf(body.name);
  if (!(await spendUse(deps, call, caller))) {
    throw new ProblemError('forbidden', 'This enrol token has no uses left.');
  }
  const certificate = body.csr === null ? null : await certify(deps, name, body.csr);
  if (certificate === null) await deps.iot.createThing(name);
  const secret = newSecret(call.nowMs);
  const facts = enrolledFacts(body, cluster);
  if (cluster !== null) await keepDocuments(deps.graphs, name, cluster);
  const createdBy = nameOfCaller(caller);
  const place = { edge: name, pool, createdBy };
  const made = cluster === null ? {} : { cluster: newClusterOf(cluster, place, call.nowMs) };
  for (let attempt = 1; attempt <= enrolAttemptsMax; attempt++) {
    const cell = await roomIn(deps, pool, call.nowMs);
    const identity: EdgeIdentity = {
      edge: name,
      cell,
      keyHash,
      certificateId: certificate?.id ?? null,
      certificate: certificate?.pem ?? null,
      previousCertificateId: null,
      renewedAtMs: null,
      credentials: [secret.hash],
      enrolledAtMs: call.nowMs,
      removingSinceMs: null,
    };
    const plain = { labels: {}, capacity: {}, cordoned: null, drain: null, removing: null };
    const config: EdgeConfig =
      body.mode === 'pull' ? { ...plain, pull: { offers: body.offers } } : plain;
    const edge = { identity, config, facts, allFacts: body.facts };
    const outcome = await deps.edges.enrol({ ...edge, ...made });
    if (outcome === 'enrolled') {
      await audit(contextOf(call), deps, 'edge-enrolled', name);
      return enrolled(deps, identity, secret, call.nowMs, cluster?.token);
    }
    if (outcome === 'taken') {
      if (certificate !== null) await deps.iot.discard(name, certificate.id);
      const first = await deps.edges.identify(name);
      if (first === null) throw new ProblemError('edge-exists');
      return enrolAgain(call, deps, first, asked);
    }
  }
  if (certificate !== null) await deps.iot.discard(name, certificate.id);
  throw contended();
}

async function enrolAgain(
  call: Call,
  deps: EnrolPorts,
  known: EdgeIdentity,
  { keyHash, pool }: Asked,
): Promise<Answer> {
  const same = keyHash !== null && known.keyHash === keyHash && poolOfCell(known.cell) === pool;
  if (!same || known.removingSinceMs !== null) throw new ProblemError('edge-exists');
  const secret = newSecret(call.nowMs);
  const identity = await deps.edges.addCredential(known, secret.hash);
  if (identity === null) throw contended();
  await audit(contextOf(call), deps, 'edge-enrolled-again', known.edge);
  return enrolled(deps, identity, secret, call.nowMs);
}

/** Tokens without a count may be used until they expire; people who signed in are not counted. */
async function spendUse(deps: Pick<Ports, 'tokens'>, call: Call, caller: Holder): Promise<boolean> {
  if (caller.kind === 'user' || caller.id === 'admin') return true;
  const hash = hashOfSecret((call.headers.authorization ?? '').replace(/^Bearer +/i, '').trim());
  const found = await deps.tokens.find(hash);
  if (found === null || found.kind !== 'token') return false;
  return found.token.usesLeft === null || deps.tokens.spend(hash);
}
