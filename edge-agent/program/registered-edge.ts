import type { ResourceVector } from '../../core/model/job.ts';
import { isRecord } from '../../core/protocol/json.ts';
import { type Clock, sleep } from '../host/clock.ts';
import type { Log } from '../host/log-lines.ts';
import { reconnectMsMax, reconnectMsMin } from '../limits.ts';
import { makeBackoff } from '../link/backoff.ts';
import { type ControlPlaneApi, ControlPlaneError } from '../link/control-plane-api.ts';
import { EnrolmentFailed } from '../link/enrolment.ts';
import { loadIdentity, loadOrMakeKey, saveIdentity } from '../link/identity.ts';

/**
 * An edge that was registered before, as a cluster with its graph: this agent gets its secret in
 * place of enrolling. What it has and how it is labelled stays as it was said there.
 */
export type RegisteredEdge = {
  readonly capacity: ResourceVector;
  readonly labels: Readonly<Record<string, string>>;
};

export type RegisteredDeps = {
  readonly api: Pick<ControlPlaneApi, 'getEdge'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
};

/** `null`: stopped before anybody answered. */
export async function findRegistered(
  { name, secret, directory }: { name: string; secret: string; directory: string },
  { api, clock, log, signal }: RegisteredDeps,
): Promise<RegisteredEdge | null> {
  const backoff = makeBackoff(reconnectMsMin, reconnectMsMax);
  for (let said = false; !signal.aborted; said = true) {
    try {
      const edge = await api.getEdge(secret, name);
      if (loadIdentity(directory)?.secret !== secret) keepIdentity(name, secret, directory);
      return { capacity: amountsOf(edge), labels: textsOf(edge) };
    } catch (error) {
      const isTemporary = error instanceof ControlPlaneError && error.isTemporary;
      const { message } = error as Error;
      if (!isTemporary) throw new EnrolmentFailed(`${name} cannot be used: ${message}`, false);
      if (!said) log(`${message} Trying on.`, 'warning');
    }
    await sleep(clock, backoff.next(), signal);
  }
  return null;
}

function keepIdentity(edge: string, secret: string, directory: string): void {
  const keyPem = loadOrMakeKey(directory);
  const none = { mqttEndpoint: null, certificate: null, caCertificate: null, pool: null };
  saveIdentity(directory, { edge, thing: edge, token: '', secret, ...none, keyPem });
}

/** Power is never missing: an edge without one would be believed to have some. */
function amountsOf(edge: unknown): ResourceVector {
  const said = isRecord(edge) && isRecord(edge.capacity) ? edge.capacity : {};
  const amounts = Object.entries(said).flatMap(([name, amount]) =>
    typeof amount === 'number' ? [[name, amount] as const] : [],
  );
  return { power: 1, ...Object.fromEntries(amounts) };
}

function textsOf(edge: unknown): Readonly<Record<string, string>> {
  const said = isRecord(edge) && isRecord(edge.labels) ? edge.labels : {};
  const texts = Object.entries(said).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return Object.fromEntries(texts);
}
