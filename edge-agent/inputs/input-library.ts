import type { JobId } from '../../core/model/names.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import type { WorkEntry } from '../../core/protocol/work.ts';
import { namesSpec } from '../edge/generations.ts';
import { type InputKnowledge, specKey } from '../edge/next-steps.ts';
import { type Clock, sleep } from '../host/clock.ts';
import { inputPatienceMs, inputRetryMsMax, inputRetryMsMin } from '../limits.ts';
import { makeBackoff } from '../link/backoff.ts';
import type { ControlPlaneApi } from '../link/control-plane-api.ts';
import { inputFaultOf, makeInputFetcher, type WantedInputs } from './fetch-inputs.ts';
import type { FileCache } from './file-cache.ts';
import type { GuardedFetch } from './guarded-fetch.ts';
import type { HeldInputs } from './held-inputs.ts';
import { digestsOf, type InputTree, placedBy } from './input-tree.ts';
import { isOwn, jobKeyOf } from './own-inputs.ts';

/**
 * The inputs of the jobs that edges of this process have: fetched as soon as a lease arrives, each
 * file once however many chunks and edges wait for it, and tried again for as long as some edge has
 * the job.
 */
export type InputLibrary = {
  /** How it is with the inputs of the jobs that this edge now has, and with those alone. */
  of(
    edge: string,
    jobs: ReadonlyMap<JobId, WorkEntry>,
  ): (job: JobId, spec: AgentSpec) => InputKnowledge;
  fetch(job: JobId, spec: AgentSpec, secret: () => string, changed: () => void): void;
  /** All of them, as they lie in the cache; `null` when one is no longer as it was. */
  ready(job: JobId, spec: AgentSpec): InputTree | null;
  isInUse(digest: string): boolean;
};

type Entry = {
  tree: InputTree | null;
  digests: ReadonlySet<string>;
  reason: string | null;
  isUnderWay: boolean;
  readonly listeners: Set<() => void>;
};

const ready: InputKnowledge = { kind: 'ready' };

export function openInputLibrary(deps: {
  readonly api: Pick<ControlPlaneApi, 'findAddresses'>;
  readonly cache: FileCache;
  readonly held: Pick<HeldInputs, 'used'>;
  readonly fetchElsewhere: GuardedFetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): InputLibrary {
  const { cache, clock, signal } = deps;
  const fetchTree = makeInputFetcher(deps);
  const entries = new Map<string, Entry>();
  const jobsOf = new Map<string, ReadonlyMap<JobId, WorkEntry>>();

  const isHeld = (key: string): boolean =>
    [...jobsOf.values()].some((jobs) =>
      namesSpec(jobs, (job, hash) => specKey(job, hash) === jobKeyOf(key)),
    );

  const forgetOthers = (): void => {
    for (const [key, { isUnderWay }] of entries) {
      if (!isUnderWay && !isHeld(key)) entries.delete(key);
    }
  };

  const run = async (key: string, wanted: WantedInputs, entry: Entry): Promise<void> => {
    const backoff = makeBackoff(inputRetryMsMin, inputRetryMsMax);
    const patientUntilMs = clock.monotonicMs() + inputPatienceMs;
    const tell = (): void => {
      for (const changed of [...entry.listeners]) changed();
    };
    while (!signal.aborted && isHeld(key)) {
      try {
        const note = (digests: ReadonlySet<string>): void => {
          entry.digests = digests;
        };
        entry.tree = await fetchTree(wanted, note);
        entry.reason = null;
        deps.held.used(digestsOf(wanted.spec.inputs ?? []));
        break;
      } catch (error) {
        const fault = inputFaultOf(error);
        const mayPass = fault.kind === 'input-unreachable';
        if (!mayPass || clock.monotonicMs() >= patientUntilMs) {
          entry.reason = `${fault.kind}: ${fault.message}`;
          tell();
        }
      }
      await sleep(clock, backoff.next(), signal);
    }
    entry.isUnderWay = false;
    tell();
    entry.listeners.clear();
  };

  return {
    of(edge, jobs) {
      if (jobsOf.get(edge) !== jobs) {
        jobsOf.set(edge, jobs);
        forgetOthers();
      }
      return (job, spec) => {
        if (spec.inputs === undefined) return ready;
        const entry = entries.get(specKey(job, spec.hash));
        return entry?.tree == null ? { kind: 'fetching', reason: entry?.reason ?? null } : ready;
      };
    },
    fetch(job, spec, secret, changed) {
      const key = specKey(job, spec.hash);
      const entry = entries.get(key) ?? blank();
      entries.set(key, entry);
      if (entry.tree !== null) return;
      entry.listeners.add(changed);
      if (entry.isUnderWay) return;
      entry.isUnderWay = true;
      entry.reason = null;
      void run(key, { job, spec, secret }, entry);
    },
    ready(job, spec) {
      const entry = entries.get(specKey(job, spec.hash));
      const tree = entry?.tree ?? null;
      if (entry === undefined || tree === null) return null;
      if (tree.files.every(({ digest }) => cache.intact(digest) !== null)) {
        // Of one chunk it is needed once, and there may be millions of them.
        if (isOwn(spec)) entries.delete(specKey(job, spec.hash));
        return placedBy(tree, spec.inputs ?? []);
      }
      entry.tree = null;
      return null;
    },
    isInUse(digest) {
      for (const [key, { digests }] of entries) if (digests.has(digest) && isHeld(key)) return true;
      return false;
    },
  };
}

function blank(): Entry {
  const listeners = new Set<() => void>();
  return { tree: null, digests: new Set(), reason: null, isUnderWay: false, listeners };
}
