import type { JobId } from '../../core/model/names.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import { type SpecKnowledge, type Step, specKey } from '../edge/next-steps.ts';
import { type Clock, sleep } from '../host/clock.ts';
import {
  specNotFoundTriesMax,
  specPatienceMs,
  specRetryMsMax,
  specRetryMsMin,
  specsInMemoryMax,
} from '../limits.ts';
import { makeBackoff } from '../link/backoff.ts';
import { type ControlPlaneApi, ControlPlaneError } from '../link/control-plane-api.ts';
import { parseAgentSpec, parseInlineSpec, type SpecStore } from './spec-store.ts';

/**
 * The specs that the edges of this process know: a thousand edges with chunks of one job fetch its
 * spec once. From memory, else from disk, else from the control plane, asked again until it
 * answers. An edge that hears its work but cannot reach the API says so after a while, instead of
 * holding it.
 */
export type SpecLibrary = {
  readonly known: ReadonlyMap<string, SpecKnowledge>;
  /** `changed` is called whenever there is something new to know, however often it was given. */
  fetch(wanted: WantedSpec, secret: () => string, changed: () => void): void;
  find(job: JobId, hash: string): AgentSpec | null;
};

export type WantedSpec = Omit<Extract<Step, { kind: 'fetch-spec' }>, 'kind'>;

const notUnderstood = 'this agent does not understand the job';

export function openSpecLibrary(deps: {
  api: ControlPlaneApi;
  store: SpecStore;
  clock: Clock;
  signal: AbortSignal;
}): SpecLibrary {
  const known = new Map<string, SpecKnowledge>();
  const waiting = new Map<string, Set<() => void>>();

  const tell = (key: string, knowledge: SpecKnowledge): void => {
    known.set(key, knowledge);
    if (known.size > specsInMemoryMax) dropOldestReady(known);
    for (const changed of [...(waiting.get(key) ?? [])]) changed();
  };

  const settle = (key: string, knowledge: SpecKnowledge): void => {
    const listeners = waiting.get(key) ?? new Set();
    waiting.delete(key);
    tell(key, knowledge);
    for (const changed of listeners) changed();
  };

  const ask = async (job: JobId, hash: string, secret: () => string): Promise<void> => {
    const key = specKey(job, hash);
    const backoff = makeBackoff(specRetryMsMin, specRetryMsMax);
    const patientUntilMs = deps.clock.monotonicMs() + specPatienceMs;
    for (let tries = 1; !deps.signal.aborted; tries++) {
      try {
        const document = await deps.api.getSpec(secret(), job, hash);
        const spec = parseAgentSpec(document);
        if (spec === null) return settle(key, unavailable(notUnderstood));
        deps.store.save(key, document);
        return settle(key, { kind: 'ready', spec });
      } catch (error) {
        const isFinal =
          error instanceof ControlPlaneError && !error.isTemporary && tries >= specNotFoundTriesMax;
        if (isFinal) return settle(key, unavailable(`spec not available: ${error.code}`));
      }
      if (known.get(key)?.kind === 'fetching' && deps.clock.monotonicMs() >= patientUntilMs) {
        tell(key, unavailable('spec not available: the API is not reached'));
      }
      await sleep(deps.clock, backoff.next(), deps.signal);
    }
  };

  return {
    known,
    fetch({ job, hash, inline }, secret, changed) {
      const key = specKey(job, hash);
      const before = known.get(key);
      if (before !== undefined && before.kind !== 'fetching') return changed();
      const listeners = waiting.get(key);
      waiting.set(key, (listeners ?? new Set()).add(changed));
      const brought = inline === null ? null : parseInlineSpec(job, hash, inline);
      if (brought !== null) return settle(key, { kind: 'ready', spec: brought });
      if (listeners !== undefined) return;
      const stored = deps.store.load(key);
      if (stored !== null) return settle(key, { kind: 'ready', spec: stored });
      known.set(key, { kind: 'fetching' });
      void ask(job, hash, secret);
    },
    find(job, hash) {
      const key = specKey(job, hash);
      const knowledge = known.get(key);
      return knowledge?.kind === 'ready' ? knowledge.spec : deps.store.load(key);
    },
  };
}

function unavailable(reason: string): SpecKnowledge {
  return { kind: 'unavailable', reason };
}

function dropOldestReady(known: Map<string, SpecKnowledge>): void {
  for (const [key, { kind }] of known) {
    if (kind === 'fetching') continue;
    known.delete(key);
    return;
  }
}
