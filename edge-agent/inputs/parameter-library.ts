import type { JobId } from '../../core/model/names.ts';
import { chunksOf, emptyRanges, fromChunks, has, type RangeSet } from '../../core/model/ranges.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import type { WorkEntry } from '../../core/protocol/work.ts';
import type { Parameters } from '../../core/sweeps/parameters.ts';
import { countOf, parametersAt, type WrittenSweep } from '../../core/sweeps/sweep.ts';
import type { ParameterStore } from '../disk/parameter-store.ts';
import { type ParameterKnowledge, specKey } from '../edge/next-steps.ts';
import { type Clock, sleep } from '../host/clock.ts';
import { inputPatienceMs, inputRetryMsMax, inputRetryMsMin, parametersRetryMs } from '../limits.ts';
import { makeBackoff } from '../link/backoff.ts';
import { type ControlPlaneApi, ControlPlaneError } from '../link/control-plane-api.ts';

/**
 * The parameters of the chunks that edges of this process are about to start, and of no others:
 * asked for ahead of time, a few hundred at once, and again for as long as the edge has the job.
 * What came is on disk for as long, so that a later life of the agent need not ask.
 */
export type ParameterLibrary = {
  /** What is known for the jobs that this edge now has, and for those alone. */
  of(
    edge: string,
    jobs: ReadonlyMap<JobId, WorkEntry>,
  ): (job: JobId, spec: AgentSpec) => ParameterKnowledge;
  /**
   * `ahead`: chunks that will be started next; what is known of others is given up. True when more
   * is known at once, because the disk had it.
   */
  fetch(edge: string, wanted: WantedParameters, secret: () => string, changed: () => void): boolean;
};

type WantedParameters = {
  readonly job: JobId;
  readonly spec: AgentSpec;
  readonly ahead: RangeSet;
};

type Entry = {
  readonly known: Map<number, Parameters>;
  ahead: RangeSet;
  reason: string | null;
  isUnderWay: boolean;
};

const nothing: ParameterKnowledge = { known: new Map(), reason: null };

export function openParameterLibrary(deps: {
  readonly api: Pick<ControlPlaneApi, 'getParameters'>;
  readonly store: ParameterStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): ParameterLibrary {
  const { api, store, clock, signal } = deps;
  const entries = new Map<string, Map<string, Entry>>();
  const held = new Map<string, ReadonlyMap<JobId, WorkEntry>>();

  const forgetOthers = (edge: string, jobs: ReadonlyMap<JobId, WorkEntry>): void => {
    const owned = new Map(
      [...jobs].map(([job, { specHash, ranges }]) => [specKey(job, specHash), ranges]),
    );
    store.keepOnly(edge, owned);
    const own = entries.get(edge);
    for (const key of own?.keys() ?? []) if (!owned.has(key)) own?.delete(key);
  };

  const run = async (
    edge: string,
    { job, spec }: WantedParameters,
    entry: Entry,
    secret: () => string,
    changed: () => void,
  ): Promise<void> => {
    const backoff = makeBackoff(inputRetryMsMin, inputRetryMsMax);
    const patientUntilMs = clock.monotonicMs() + inputPatienceMs;
    const isWanted = (): boolean => entries.get(edge)?.get(specKey(job, spec.hash)) === entry;
    while (!signal.aborted && isWanted()) {
      const open = missingOf(entry);
      if (open.length === 0) break;
      try {
        const found = await api.getParameters(secret(), job, open);
        const asked = new Map([...found].filter(([chunk]) => has(open, chunk)));
        for (const [chunk, one] of asked) entry.known.set(chunk, one);
        if (isWanted()) store.save(edge, specKey(job, spec.hash), asked);
        const isLate = found.size === 0 && clock.monotonicMs() >= patientUntilMs;
        entry.reason = isLate ? 'parameters-missing: the API has none' : null;
        changed();
        if (found.size === 0) await sleep(clock, parametersRetryMs, signal);
        continue;
      } catch (error) {
        const fault = faultOf(error);
        if (fault.isFinal || clock.monotonicMs() >= patientUntilMs) {
          entry.reason = fault.reason;
          changed();
        }
      }
      await sleep(clock, backoff.next(), signal);
    }
    entry.isUnderWay = false;
    changed();
  };

  return {
    of(edge, jobs) {
      if (held.get(edge) !== jobs) {
        held.set(edge, jobs);
        forgetOthers(edge, jobs);
      }
      const own = entries.get(edge);
      return (job, spec) => {
        const { params } = spec;
        if (params === undefined) return own?.get(specKey(job, spec.hash)) ?? nothing;
        return { known: knownBy(params), reason: null };
      };
    },
    fetch(edge, wanted, secret, changed) {
      const { job, spec, ahead } = wanted;
      const key = specKey(job, spec.hash);
      const own = entries.get(edge) ?? new Map<string, Entry>();
      entries.set(edge, own);
      const entry = own.get(key) ?? blank();
      own.set(key, entry);
      entry.ahead = ahead;
      for (const chunk of entry.known.keys()) if (!has(ahead, chunk)) entry.known.delete(chunk);
      const kept = store.load(edge, key, missingOf(entry));
      for (const [chunk, one] of kept) entry.known.set(chunk, one);
      if (!entry.isUnderWay && missingOf(entry).length > 0) {
        entry.isUnderWay = true;
        void run(edge, wanted, entry, secret, changed);
      }
      return kept.size > 0;
    },
  };
}

/** The job itself says them. */
function knownBy(params: WrittenSweep): ParameterKnowledge['known'] {
  const chunks = countOf(params);
  return {
    has: (chunk) => chunk < chunks,
    get: (chunk) => (chunk < chunks ? parametersAt(params, chunk) : undefined),
  };
}

function blank(): Entry {
  return { known: new Map(), ahead: emptyRanges, reason: null, isUnderWay: false };
}

function missingOf({ ahead, known }: Entry): RangeSet {
  return fromChunks([...chunksOf(ahead)].filter((chunk) => !known.has(chunk)));
}

function faultOf(error: unknown): { readonly reason: string; readonly isFinal: boolean } {
  if (error instanceof ControlPlaneError && !error.isTemporary) {
    return { reason: `parameters-missing: ${error.code}`, isFinal: true };
  }
  return { reason: 'parameters-unreachable: the API is not reached', isFinal: false };
}
