import { singularOf, type Term } from '../contract/jobspec/terms.ts';
import { attachedWithin, type GraphDigest, type Shape } from './digest.ts';
import type { Asked } from './requirement.ts';

/**
 * How often a term fits into a cluster. A vertex of the term's type serves as many copies as it
 * counts for, no more than what lies below it allows; siblings of different types below a term are
 * totals within it; what must hold at a vertex may be attached to it, above it or below it.
 *
 * Reads each shape once for each term and for what of its requirements was fulfilled above, so a
 * thousand equal nodes cost what one costs.
 */
export type Fit = {
  /** Copies of one of the term, wherever they lie; a fraction where something is measured. */
  times(term: Term): number;
};

export function fitInto(digest: GraphDigest, asked: ReadonlyMap<Term, readonly Asked[]>): Fit {
  const all = [...asked.values()].flat();
  const bits = new Map(all.map((it, at) => [it, 1 << at]));
  const within = all.map((it) => attachedWithin(digest, (kind) => it.fulfils(kind)));
  const attached = digest.shapes.map((shape) => ownBits(shape, digest, all, bits));
  const always = all.reduce((mask, it) => mask | (it.byFacts ? bits.get(it)! : 0), 0);
  const { shapes } = digest;
  const types = shapes.map(({ type }) => singularOf(type));
  const kept = new Map<Term, Map<number, Float64Array>>();

  const holds = (term: Term, shape: number, mask: number): boolean =>
    (asked.get(term) ?? []).every((it) => {
      const bit = bits.get(it) ?? 0;
      return (mask & bit) !== 0 || within[all.indexOf(it)]?.[shape] === true;
    });

  const room = (term: Term, mask: number): Float64Array => {
    const byMask = kept.get(term) ?? new Map<number, Float64Array>();
    kept.set(term, byMask);
    const found = byMask.get(mask) ?? new Float64Array(shapes.length).fill(-1);
    byMask.set(mask, found);
    return found;
  };

  /** Copies that lie at this vertex or below it. */
  const copies = (shape: number, term: Term, above: number): number => {
    const known = room(term, above);
    const before = known[shape]!;
    if (before >= 0) return before;
    const mask = above | attached[shape]!;
    const times =
      types[shape] === term.type
        ? at(shape, term, mask)
        : below(shape, (child) => copies(child, term, mask));
    known[shape] = times;
    return times;
  };

  const at = (shape: number, term: Term, mask: number): number => {
    if (!holds(term, shape, mask)) return 0;
    let served = sizeIn(shapes[shape]!, term);
    for (const inner of term.with) {
      served = Math.min(served, Math.floor(amount(shape, inner, mask) / inner.needed));
    }
    return served;
  };

  /** Below a vertex; a `slot` stands for nothing, and is a part of it wherever it lies. */
  const amount = (shape: number, term: Term, mask: number): number => {
    if (term.type !== 'slot') return below(shape, (child) => copies(child, term, mask));
    if (!holds(term, shape, mask)) return 0;
    return leastOf(term, (inner) => amount(shape, inner, mask));
  };

  const below = (shape: number, each: (child: number) => number): number => {
    let sum = 0;
    for (const child of shapes[shape]!.children) sum += child.times * each(child.shape);
    return sum;
  };

  return {
    times: (term) => {
      const root = shapes.length - 1;
      if (term.type !== 'slot') return copies(root, term, always);
      const mask = always | attached[root]!;
      if (!holds(term, root, mask)) return 0;
      return leastOf(term, (inner) => {
        return inner.type === 'slot' ? amount(root, inner, mask) : copies(root, inner, always);
      });
    },
  };
}

function leastOf(term: Term, amountOf: (inner: Term) => number): number {
  let least = Number.POSITIVE_INFINITY;
  for (const inner of term.with)
    least = Math.min(least, Math.floor(amountOf(inner) / inner.needed));
  return least === Number.POSITIVE_INFINITY ? 1 : least;
}

function ownBits(
  shape: Shape,
  digest: GraphDigest,
  all: readonly Asked[],
  bits: ReadonlyMap<Asked, number>,
): number {
  let mask = 0;
  for (const kind of shape.attached) {
    for (const it of all) if (it.fulfils(digest.kinds[kind]!)) mask |= bits.get(it)!;
  }
  return mask;
}

const megabytes = new Map([
  ['MB', 1],
  ['GB', 1_024],
]);

/** In the unit that is asked for, where both are measures of the same. */
function sizeIn({ size, unit }: Shape, term: Term): number {
  const own = megabytes.get(unit);
  const wanted = megabytes.get(term.unit);
  return own === undefined || wanted === undefined ? size : (size * own) / wanted;
}
