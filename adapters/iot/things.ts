/**
 * Names of edges in the registry of IoT Core. All stages of an account share it, so those of a
 * stage other than `production` carry its name in front: `trial_edge-10`. Names of edges and stages
 * hold no `_`.
 */
export type Things = {
  of(edge: string): string;
  /** `null` for a thing of another stage, or of somebody else. */
  edgeOf(thing: string): string | null;
};

export function makeThings(prefix = process.env.THING_PREFIX ?? ''): Things {
  return {
    of: (edge) => `${prefix}${edge}`,
    edgeOf(thing) {
      if (!thing.startsWith(prefix)) return null;
      const edge = thing.slice(prefix.length);
      return edge.includes('_') ? null : edge;
    },
  };
}
