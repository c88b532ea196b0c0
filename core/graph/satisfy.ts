import { type Choice, choicesOf, type JobspecPlan, type Unit } from '../contract/jobspec/plan.ts';
import { fitsWithin } from '../contract/jobspec/sizes.ts';
import {
  type PlacedRequirement,
  runSizeOf,
  singularOf,
  type Term,
  totalsOf,
} from '../contract/jobspec/terms.ts';
import type { GraphDigest } from './digest.ts';
import { fitInto } from './fit.ts';
import { type Asked, askedOf, type Facts, requirementText, valuesFound } from './requirement.ts';

/**
 * Whether a cluster has what a jobspec asks for, whatever is free there: each of its resources for
 * itself, since tasks may take turns. The same answer in whatever order anything is written.
 */
export type ClusterGraph = {
  readonly digest: GraphDigest;
  /** What is said of all of the cluster. */
  readonly facts: Facts | null;
};

export type Wanted = Pick<JobspecPlan, 'units' | 'terms' | 'scheduled' | 'requires'>;

export type Match =
  | {
      readonly matches: true;
      /** How often all of it is there. */
      readonly slots: number;
      /** Which of `a|b` it is, by the place where it is said. */
      readonly chosen: ReadonlyMap<string, string>;
    }
  | ({ readonly matches: false } & Mismatch);

export type Mismatch = {
  /** `no-<type>`, `not-enough-<type>`, or one of the words below. */
  readonly reason: string;
  /** The place in the jobspec. */
  readonly at: string;
  readonly detail: string;
};

/** With `isFree` a resource that is there and busy gives way to the next of `a|b` that is free. */
export function satisfies(
  cluster: ClusterGraph,
  wanted: Wanted,
  isFree: (term: Term) => boolean = () => true,
): Match {
  const chosen = new Map<string, string>();
  const terms = new Map<Choice, Term>();
  let slots = Number.POSITIVE_INFINITY;
  const known = new Map<string, Outcome>();
  for (const choice of choicesOf(wanted)) {
    const outer = choice.within === null ? null : (terms.get(choice.within) ?? null);
    const free = outer === null ? isFree : () => true;
    const found = choose(cluster, wanted, choice, { outer, known, free });
    if ('reason' in found) return { matches: false, ...found };
    chosen.set(choice.pointer, found.name);
    terms.set(choice, wanted.terms.get(found.name)!);
    slots = Math.min(slots, found.slots);
  }
  for (const unit of wanted.units) {
    const mismatch = unmetBy(cluster, wanted, unit, chosen);
    if (mismatch !== null) return { matches: false, ...mismatch };
  }
  return { matches: true, slots: Number.isFinite(slots) ? slots : 1, chosen };
}

type Outcome = { readonly slots: number } | Mismatch;
type Chosen = { readonly name: string; readonly slots: number };

type Choosing = {
  /** What the group around holds; what is in it has its part already. */
  readonly outer: Term | null;
  readonly known: Map<string, Outcome>;
  readonly free: (term: Term) => boolean;
};

function choose(
  cluster: ClusterGraph,
  { terms, scheduled }: Wanted,
  choice: Choice,
  { outer, known, free }: Choosing,
): Chosen | Mismatch {
  let first: Mismatch | null = null;
  let busy: Chosen | null = null;
  for (const name of choice.names) {
    const term = terms.get(name)!;
    if (outer !== null && outer !== term && !fitsIn(term, outer)) continue;
    if (scheduled !== null && !scheduled.has(name))
      return { name, slots: Number.POSITIVE_INFINITY };
    const outcome = known.get(name) ?? match(cluster, term);
    known.set(name, outcome);
    if ('reason' in outcome) first ??= outcome;
    else if (free(term)) return { name, slots: outcome.slots };
    else busy ??= { name, slots: outcome.slots };
  }
  if (busy !== null) return busy;
  const detail = 'none of the resources is a part of what the group holds';
  return first ?? { reason: 'not-enough-slots', at: choice.pointer, detail };
}

function fitsIn(term: Term, outer: Term): boolean {
  const held = runSizeOf(outer);
  return fitsWithin(runSizeOf(term), { ...held, nodes: held.nodes * held.slots });
}

/** One resource: its totals first, then where they lie, then what must hold there. */
export function match(cluster: ClusterGraph, term: Term): Outcome {
  const { digest, facts } = cluster;
  const short = shortOf(digest, term);
  if (short !== null) return short;
  const asked = new Map<Term, readonly Asked[]>();
  const order: { readonly term: Term; readonly asked: Asked; readonly pointer: string }[] = [];
  for (const it of withinOf(term)) {
    const own = it.requires.map(({ item }) => askedOf(item, digest, facts));
    asked.set(it, own);
    for (const [at, one] of own.entries()) {
      order.push({ term: it, asked: one, pointer: it.requires[at]!.pointer });
    }
  }
  const times = fitInto(digest, asked).times(term);
  if (times >= term.needed) return { slots: Math.floor(times / term.needed) };
  const anywhere = fitInto(digest, new Map()).times(term);
  if (anywhere < term.needed) {
    const detail = `${term.needed} × ${described(term)} needed, ${Math.floor(anywhere)} there`;
    return { reason: 'not-enough-slots', at: term.pointer, detail };
  }
  for (let count = 1; count <= order.length; count++) {
    const some = new Map<Term, Asked[]>();
    for (const { term: at, asked: one } of order.slice(0, count)) {
      some.set(at, [...(some.get(at) ?? []), one]);
    }
    if (fitInto(digest, some).times(term) >= term.needed) continue;
    const unmet = order[count - 1]!;
    return unmetAt(cluster, unmet.asked, unmet.pointer, `no vertex ${unmet.term.type} has`);
  }
  return { reason: 'requirement-not-met', at: term.pointer, detail: 'not all at one vertex' };
}

function unmetAt(
  { digest, facts }: ClusterGraph,
  { item, isUnknown }: Asked,
  at: string,
  nobody: string,
): Mismatch {
  if (isUnknown) {
    const detail = `there is neither a subsystem ${item.name} nor a fact ${item.field}`;
    return { reason: 'subsystem-missing', at, detail };
  }
  const found = valuesFound(item, digest, facts);
  const instead = found.length === 0 ? '' : ` (found ${found.join(', ')})`;
  return {
    reason: 'requirement-not-met',
    at,
    detail: `${nobody} ${requirementText(item)}${instead}`,
  };
}

function shortOf(digest: GraphDigest, term: Term): Mismatch | null {
  const there = new Map<string, number>();
  for (const [type, count] of digest.counts) {
    const name = singularOf(type);
    there.set(name, (there.get(name) ?? 0) + count);
  }
  const measured = new Set(
    [...withinOf(term)].filter((it) => it.unit !== 'count').map((it) => it.type),
  );
  for (const [type, needed] of totalsOf(term)) {
    const count = there.get(type) ?? 0;
    if (count === 0) {
      return { reason: `no-${type}`, at: term.pointer, detail: `there is no ${type}` };
    }
    if (count >= needed || measured.has(type)) continue;
    const detail = `${needed} of ${type} needed, ${count} there`;
    return { reason: `not-enough-${type}`, at: term.pointer, detail };
  }
  return null;
}

function* withinOf(term: Term): Iterable<Term> {
  yield term;
  for (const inner of term.with) yield* withinOf(inner);
}

function described(term: Term): string {
  const inner = term.with.map((it) => `${it.needed} ${described(it)}`);
  return inner.length === 0 ? term.type : `${term.type} with ${inner.join(' and ')}`;
}

/** What a task or a group asks of the cluster as a whole: the first of its names that holds. */
function unmetBy(
  cluster: ClusterGraph,
  wanted: Wanted,
  unit: Unit,
  chosen: Map<string, string>,
): Mismatch | null {
  let first: Mismatch | null = null;
  let isMet = unit.requires === null;
  for (const name of unit.requires?.names ?? []) {
    const mismatch = unmetItem(cluster, itemsOf(wanted, name));
    if (mismatch === null) {
      isMet = true;
      chosen.set(unit.requires!.pointer, name);
      break;
    }
    first ??= mismatch;
  }
  if (!isMet) return first;
  if (unit.kind === 'task') return null;
  for (const member of unit.members) {
    const mismatch = unmetBy(cluster, wanted, member, chosen);
    if (mismatch !== null) return mismatch;
  }
  return null;
}

function itemsOf({ requires }: Wanted, name: string): readonly PlacedRequirement[] {
  const part = name.replaceAll('~', '~0').replaceAll('/', '~1');
  return (requires.get(name) ?? []).map((item, at) => {
    return { item, pointer: `/requires/${part}/${at}` };
  });
}

function unmetItem(cluster: ClusterGraph, items: readonly PlacedRequirement[]): Mismatch | null {
  const { digest, facts } = cluster;
  for (const { item, pointer } of items) {
    const asked = askedOf(item, digest, facts);
    if (asked.byFacts || digest.kinds.some((kind) => asked.fulfils(kind))) continue;
    return unmetAt(cluster, asked, pointer, 'nothing has');
  }
  return null;
}
