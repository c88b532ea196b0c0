import type { Scalar } from './vertex.ts';

/**
 * What matching reads of a cluster: a tree in which equal subtrees are one shape with the number of
 * times it is there. A thousand equal nodes cost what one costs, and the same cluster has the same
 * digest in whatever order its document names things.
 *
 * Vertices of subsystems that say the same are one kind. A shape names the kinds that are attached
 * to it, so nodes with different software are different shapes.
 */
export type GraphDigest = {
  /** Of the dominant graph, before equal ones became one. */
  readonly vertices: number;
  /** Summed sizes by type, sorted by name. */
  readonly counts: ReadonlyMap<string, number>;
  /** What is contained comes before what contains it; the last one is the root. */
  readonly shapes: readonly Shape[];
  readonly kinds: readonly Kind[];
  /** All subsystems by name, also one whose vertices are attached nowhere else than at the root. */
  readonly subsystems: readonly string[];
};

export type Shape = {
  readonly type: string;
  /** How many one such vertex counts for. */
  readonly size: number;
  readonly unit: string;
  /** Kinds attached to exactly this vertex, by their place, rising. */
  readonly attached: readonly number[];
  readonly children: readonly Child[];
};

export type Child = { readonly shape: number; readonly times: number };

/** What vertices of a subsystem say of themselves. */
export type Kind = {
  readonly subsystem: string;
  readonly fields: ReadonlyMap<string, Scalar>;
  readonly attributes: ReadonlyMap<string, Scalar>;
};

export function rootShape(digest: GraphDigest): Shape {
  return digest.shapes.at(-1)!;
}

/**
 * For each shape, whether a kind that fulfils what is asked is attached to it or to anything below
 * it. What is above a vertex depends on the way down to it, so who walks down looks at `attached`.
 */
export function attachedWithin(
  digest: GraphDigest,
  fulfils: (kind: Kind) => boolean,
): readonly boolean[] {
  const good = digest.kinds.map(fulfils);
  const within: boolean[] = [];
  for (const { attached, children } of digest.shapes) {
    within.push(attached.some((kind) => good[kind]) || children.some(({ shape }) => within[shape]));
  }
  return within;
}
