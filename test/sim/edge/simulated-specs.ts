import { isDeepStrictEqual } from 'node:util';
import type { JobId } from '../../../core/model/names.ts';
import type { AgentSpec } from '../../../core/protocol/agent-spec.ts';
import type { SpecLibrary } from '../../../edge-agent/disk/spec-library.ts';
import { parseInlineSpec } from '../../../edge-agent/disk/spec-store.ts';
import { type SpecKnowledge, specKey } from '../../../edge-agent/edge/next-steps.ts';
import type { Clock } from '../../../edge-agent/host/clock.ts';
import type { Bug } from '../bugs/bugs.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { Disk } from './disk.ts';

/** What an edge knows of its jobs: from its disk, with its work, or fetched after a while. */
export type SpecsWorld = {
  readonly random: SeededRandom;
  readonly specOf: (job: string, hash: string) => AgentSpec | null;
  readonly specMsMax: () => number;
  readonly bug: Bug | null;
};

export function specsOf(world: SpecsWorld, disk: Disk, clock: Clock): SpecLibrary {
  const known = new Map<string, SpecKnowledge>();
  const meant = world.bug?.spec ?? ((spec: AgentSpec) => spec);
  for (const [key, spec] of disk.specs) known.set(key, { kind: 'ready', spec });
  return {
    known,
    fetch: ({ job, hash, inline }, _secret, changed) => {
      const key = specKey(job, hash);
      // In memory only: after a restart it has to be in the journal.
      const brought = broughtSpec(world, job, hash, inline);
      if (brought !== null) known.set(key, { kind: 'ready', spec: meant(brought) });
      if (known.has(key)) return;
      known.set(key, { kind: 'fetching' });
      clock.after(world.random.between(5, world.specMsMax()), () => {
        const spec = world.specOf(job, hash);
        if (spec === null) {
          known.set(key, { kind: 'unavailable', reason: 'no such spec' });
        } else {
          known.set(key, { kind: 'ready', spec: meant(spec) });
          if (!disk.isFull) disk.specs.set(key, meant(spec));
        }
        changed();
      });
    },
    find: (job, hash) => {
      const knowledge = known.get(specKey(job, hash));
      return knowledge?.kind === 'ready' ? knowledge.spec : null;
    },
  };
}

function broughtSpec(
  world: SpecsWorld,
  job: JobId,
  hash: string,
  inline: string | null,
): AgentSpec | null {
  const spec = inline === null ? null : parseInlineSpec(job, hash, inline);
  const stored = world.specOf(job, hash);
  if (spec === null || stored === null) return spec;
  // A service that is scaled stays the same generation; the edge may know it from before.
  const { chunks } = stored.restart === undefined ? stored : spec;
  if (isDeepStrictEqual(spec, { ...stored, chunks })) return spec;
  throw new Error(`${job}: the spec that came with the work is not the job's: ${inline}`);
}
