import type { EdgeFacts } from '../model/cell.ts';
import { edgeAmountMax, resourcesMax } from '../model/limits.ts';
import { namedValue } from '../protocol/named-values.ts';
import type { GraphDigest } from './digest.ts';

type Amounts = Readonly<Record<string, number>>;

/**
 * What a cluster has, from its graph: nodes, cores and gpus, every other type that something is a
 * leaf of, and power, which is its cores. What its owner says instead wins, name by name.
 */
export function capacityOfCluster(
  digest: GraphDigest,
  given: Amounts = {},
): Amounts & { readonly power: number } {
  const capacity = new Map<string, number>();
  const add = (name: string, amount: number) =>
    capacity.set(name, Math.min(edgeAmountMax, (capacity.get(name) ?? 0) + amount));
  for (const [type, count] of digest.counts) {
    const name = plural.get(type);
    if (name !== undefined) add(name, count);
  }
  const own = new Map(Object.entries(given));
  for (const type of leafTypes(digest)) {
    const spare = resourcesMax - new Set([...capacity.keys(), ...own.keys(), 'power']).size;
    if (spare > 0 && !capacity.has(type)) add(type, digest.counts.get(type)!);
  }
  capacity.set('power', Math.max(1, capacity.get('cores') ?? 0));
  for (const [name, amount] of own) capacity.set(name, amount);
  return Object.fromEntries(capacity) as Record<string, number> & { power: number };
}

/** What a graph counts of what nobody said in its place. */
export function countedBy(digest: GraphDigest, said: Amounts): Amounts {
  const all = Object.entries(capacityOfCluster(digest, said));
  return Object.fromEntries(all.filter(([name]) => namedValue(said, name) === undefined));
}

/**
 * The same where an edge gets a graph, or another one. What the graph before counted this one
 * counts, and cores and gpus that an agent found are those of the one host that it runs on. What
 * is in no graph any more, and what an agent goes on saying because it read so, is none.
 */
export function countedAnew(
  digest: GraphDigest,
  { capacity, counted }: Pick<EdgeFacts, 'capacity' | 'counted'>,
  found: Readonly<Record<string, unknown>>,
): Amounts {
  const isFound = (name: string, amount: number) =>
    (name === 'cores' || name === 'gpus') && namedValue(found, name) === amount;
  const said = Object.entries(capacity).filter(
    ([name, amount]) => namedValue(counted, name) === undefined && !isFound(name, amount),
  );
  const next = countedBy(digest, Object.fromEntries(said));
  const gone = Object.keys(counted ?? {}).filter(
    (name) => namedValue(next, name) === undefined && namedValue(capacity, name) !== undefined,
  );
  return { ...Object.fromEntries(gone.map((name) => [name, 0])), ...next };
}

const plural = new Map([
  ['node', 'nodes'],
  ['core', 'cores'],
  ['gpu', 'gpus'],
  ['nodes', 'nodes'],
  ['cores', 'cores'],
  ['gpus', 'gpus'],
]);

const resourceName = /^[A-Za-z][A-Za-z0-9._-]{0,62}$/;

/** In the order of their names, without those that cannot be the name of an amount. */
function leafTypes({ shapes }: GraphDigest): readonly string[] {
  const types = new Set(shapes.filter(({ children }) => children.length === 0).map((s) => s.type));
  return [...types]
    .filter((type) => !plural.has(type) && type !== 'power' && resourceName.test(type))
    .sort();
}
