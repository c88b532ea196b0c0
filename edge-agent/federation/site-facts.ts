import { federationDepthMax } from '../../core/federation/limits.ts';
import type { ResourceVector } from '../../core/model/job.ts';
import type { Facts, FactValue } from '../../core/protocol/facts.ts';
import { isRecord } from '../../core/protocol/json.ts';
import type { DownstreamEdge } from './downstream-api.ts';
import { siteEdgesMax } from './limits.ts';

/**
 * What a whole pool says as one edge: of amounts the sum, of everything else what all of its edges
 * have in common, so that whatever is asked of it holds wherever a chunk comes to run.
 */
export type Site = {
  readonly power: number;
  readonly edges: number;
  readonly capacity: ResourceVector;
  readonly labels: Readonly<Record<string, string>>;
  readonly facts: Readonly<Record<string, FactValue>>;
  /** Deployments below each other, this one included; not more than may be in a row. */
  readonly depth: number;
};

/** Facts of each edge that say nothing of the pool. */
const ownFacts: ReadonlySet<string> = new Set([
  ...['agent', 'health', 'disks', 'edgewise', 'kernel', 'load', 'isolation'],
  // What an edge below can do with inputs and parameters does not come through yet.
  ...['cacheBytes', 'unpacks', 'fillsInputs', 'parameters', 'services'],
]);

export function siteOf(power: number, all: readonly DownstreamEdge[]): Site {
  const taking = all.filter(({ takesWork }) => takesWork);
  // One with so many below it is too deep for what comes from above, or part of a ring: there each
  // would count what the next one counts, and all would have more with every look.
  const edges = taking.filter((edge) => depthOf(edge) < federationDepthMax);
  const sums: Record<string, number> = Object.create(null);
  for (const { capacity } of edges) {
    for (const [name, value] of Object.entries(capacity)) sums[name] = (sums[name] ?? 0) + value;
  }
  const common = edges.map(({ facts }) => facts).reduce<unknown>(sharedBy, undefined);
  const facts = Object.entries(isRecord(common) ? common : {}).filter(
    ([key]) => !ownFacts.has(key),
  );
  const labels = edges.map((edge) => edge.labels).reduce<unknown>(sharedBy, undefined) ?? {};
  // Edges that are away or leave count in the total of the pool, and do nothing.
  const there = all.length < siteEdgesMax ? Math.min(power, sums.power ?? 0) : power;
  return {
    power: there,
    edges: edges.length,
    capacity: { ...sums, power: there },
    labels: labels as Record<string, string>,
    facts: Object.fromEntries(facts) as Record<string, FactValue>,
    depth: Math.min(federationDepthMax, 1 + Math.max(0, ...taking.map(depthOf))),
  };
}

/** What is the same in both; of trees the leaves. The first of all is compared with nothing. */
function sharedBy(before: unknown, next: unknown, index: number): unknown {
  if (index === 0) return next;
  if (!isRecord(before) || !isRecord(next)) return before === next ? next : undefined;
  const entries = Object.entries(next).flatMap(([key, value]) => {
    const both = Object.hasOwn(before, key) ? sharedBy(before[key], value, 1) : undefined;
    return both === undefined ? [] : [[key, both] as const];
  });
  return Object.fromEntries(entries);
}

function depthOf({ facts }: DownstreamEdge): number {
  const below = isRecord(facts.edgewise) ? facts.edgewise.depth : 0;
  return typeof below === 'number' && Number.isFinite(below) ? below : 0;
}

export function factsOfSite(
  site: Site,
  more: {
    readonly version: string;
    readonly health: string;
    readonly labels: Readonly<Record<string, string>>;
  },
): Facts {
  const { capacity, edges, depth } = site;
  return {
    capacity,
    labels: { ...site.labels, ...more.labels },
    facts: {
      executors: {},
      ...site.facts,
      agent: more.version,
      health: more.health,
      chunkOffsets: true,
      edgewise: { version: more.version, edges, depth },
    },
  };
}
