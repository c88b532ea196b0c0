import type { ResourceVector } from '../model/job.ts';

/**
 * A fact is a leaf or a tree of leaves; expressions address it by a dotted key
 * (`facts.os.version`).
 */
export type FactValue = string | number | boolean | { readonly [key: string]: FactValue };

/** The `facts` shadow: what an edge says about itself. Inventory: never an intent. */
export type Facts = {
  readonly capacity: ResourceVector;
  readonly labels: Readonly<Record<string, string>>;
  readonly facts: Readonly<Record<string, FactValue>>;
};
