import { edgeAmountMax, resourcesMax } from '../model/limits.ts';
import { namedValue } from '../protocol/named-values.ts';
import type { GraphDigest } from './digest.ts';

/**
 * What a cluster has, from its graph: nodes, cores and gpus, every other type that something is a
 * leaf of, and power, which is its cores. What its owner says instead wins, name by name.
 */
export function capacityOfCluster(
  digest: GraphDigest,
  given: Readonly<Record<string, number>> = {},
): Readonly<Record<string, number>> & { readonly power: number } {
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

/**
 * The capacity of an edge that gets another graph: what followed from the one before follows from
 * this one, what it did not follow from stays.
 */
export function capacityWithGraph(
  capacity: Readonly<Record<string, number>>,
  before: GraphDigest | null,
  after: GraphDigest,
): ReturnType<typeof capacityOfCluster> {
  const derived = before === null ? {} : capacityOfCluster(before);
  const own = Object.entries(capacity).filter(
    ([name, amount]) => namedValue(derived, name) !== amount,
  );
  return capacityOfCluster(after, Object.fromEntries(own));
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
