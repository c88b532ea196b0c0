import type { Requirement, Resource } from './jobspec-schema.ts';

/**
 * A resource as it is matched: the type in the singular, how many of it, and what each must have
 * below and must be. `replicas` make it a slot: as many places, each with all that is below.
 */
export type Term = {
  readonly type: string;
  readonly needed: number;
  readonly isSlot: boolean;
  readonly unit: 'count' | 'MB' | 'GB';
  readonly exclusive: boolean;
  readonly label: string | null;
  readonly with: readonly Term[];
  readonly requires: readonly PlacedRequirement[];
  readonly pointer: string;
};

export type PlacedRequirement = { readonly item: Requirement; readonly pointer: string };

const singular = new Map([
  ['cores', 'core'],
  ['gpus', 'gpu'],
  ['nodes', 'node'],
]);

export function singularOf(type: string): string {
  return singular.get(type) ?? type;
}

export function termOf(resource: Resource, pointer: string): Term {
  return {
    type: singularOf(resource.type),
    needed: resource.replicas ?? resource.count ?? 1,
    isSlot: resource.replicas !== undefined,
    unit: resource.unit ?? 'count',
    exclusive: resource.exclusive ?? false,
    label: resource.label ?? null,
    with: (resource.with ?? []).map((it, at) => termOf(it, `${pointer}/with/${at}`)),
    requires: (resource.requires ?? []).map((item, at) => {
      return { item, pointer: `${pointer}/requires/${at}` };
    }),
    pointer,
  };
}

/** All that a term asks for, by type. Of siblings and of what lies below it is the sum. */
export function totalsOf(term: Term): ReadonlyMap<string, number> {
  const totals = new Map<string, number>();
  const add = (it: Term, times: number) => {
    const count = times * it.needed;
    if (it.type !== 'slot') totals.set(it.type, (totals.get(it.type) ?? 0) + count);
    for (const inner of it.with) add(inner, count);
  };
  add(term, 1);
  return totals;
}

/** What one run needs: so many nodes, and of each node so much of everything else. */
export type RunSize = {
  /** Independent places: the product of the replicas on the way down. */
  readonly slots: number;
  readonly nodes: number;
  /** By type in the singular, on each node; what is in MB or GB in megabytes. */
  readonly each: ReadonlyMap<string, number>;
  readonly exclusive: boolean;
};

const containers = new Set(['rack', 'cluster', 'socket', 'slot']);

/** Of the part with this label; of the innermost slot where none is named. */
export function runSizeOf(term: Term, label: string | null = null): RunSize {
  const { slots, inner } = innermost(term, label, 1);
  const perNode = new Map<string, number>();
  const totals = new Map<string, number>();
  let nodes = 0;
  const add = (to: Map<string, number>, it: Term, count: number) => {
    const amount = it.unit === 'GB' ? count * 1_024 : count;
    if (!containers.has(it.type)) to.set(it.type, (to.get(it.type) ?? 0) + amount);
    for (const below of it.with) add(to, below, count * below.needed);
  };
  const visit = (it: Term, count: number) => {
    if (it.type === 'node') {
      nodes += count;
      for (const below of it.with) add(perNode, below, below.needed);
    } else if (containers.has(it.type)) {
      for (const below of it.with) visit(below, count * below.needed);
    } else add(totals, it, count);
  };
  visit(inner, inner.isSlot ? 1 : inner.needed);
  nodes = Math.max(1, nodes);
  for (const [type, total] of totals) {
    perNode.set(type, (perNode.get(type) ?? 0) + Math.ceil(total / nodes));
  }
  return { slots, nodes, each: perNode, exclusive: isExclusive(term) };
}

/** Several slots beside each other: which one is meant must be said by its label. */
export function isAmbiguous(term: Term): boolean {
  return term.with.filter(hasSlot).length > 1 || term.with.some(isAmbiguous);
}

export function hasLabel(term: Term, label: string): boolean {
  return term.label === label || term.with.some((below) => hasLabel(below, label));
}

function innermost(
  term: Term,
  label: string | null,
  times: number,
): { readonly slots: number; readonly inner: Term } {
  const slots = term.isSlot ? times * term.needed : times;
  const isHere = label !== null && term.label === label;
  const leads = (below: Term) => (label === null ? hasSlot(below) : hasLabel(below, label));
  const next = isHere ? undefined : term.with.find(leads);
  if (next === undefined) return { slots, inner: term };
  return innermost(next, label, term.isSlot ? slots : slots * term.needed);
}

function hasSlot(term: Term): boolean {
  return term.isSlot || term.with.some(hasSlot);
}

function isExclusive(term: Term): boolean {
  return term.exclusive || term.with.some(isExclusive);
}
