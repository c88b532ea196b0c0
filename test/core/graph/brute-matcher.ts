import type { Resource } from '../../../core/contract/jobspec/jobspec-schema.ts';

/**
 * A matcher that nobody would ship: on the graph as it is written, it hands vertex after vertex to
 * copy after copy and takes each back when it leads nowhere. It shares nothing with the one that is
 * shipped but the question.
 */
export type BruteVertex = {
  readonly id: string;
  readonly type: string;
  readonly size: number;
  readonly children: readonly BruteVertex[];
  /** What is attached to exactly this vertex: subsystem, field and value. */
  readonly attached: readonly string[];
};

type Demand = {
  readonly term: Resource;
  readonly below: BruteVertex;
  readonly self: boolean;
  readonly from: number;
};

export function bruteMatches(root: BruteVertex, term: Resource): boolean {
  const used = new Map<BruteVertex, number>();
  const above = new Map<BruteVertex, readonly string[]>();
  const note = (vertex: BruteVertex, over: readonly string[]) => {
    above.set(vertex, over);
    for (const child of vertex.children) note(child, [...over, ...vertex.attached]);
  };
  note(root, []);

  const holds = (vertex: BruteVertex, { requires = [] }: Resource): boolean => {
    const near = new Set([...above.get(vertex)!, ...below(vertex).flatMap((it) => it.attached)]);
    return requires.every(({ name, field, match }) => near.has(`${name} ${field} ${match}`));
  };

  const serve = (demands: readonly Demand[]): boolean => {
    const [first, ...rest] = demands;
    if (first === undefined) return true;
    const { term, below: place, self } = first;
    if (term.type === 'slot') {
      if (!holds(place, term)) return false;
      return serve([...within(term, place, self), ...rest]);
    }
    // Copies of one term are alike: each looks no further ahead than where the one before it is.
    const places = self ? below(place) : place.children.flatMap(below);
    for (let at = first.from; at < places.length; at++) {
      const vertex = places[at]!;
      if (vertex.type !== term.type || (used.get(vertex) ?? 0) >= vertex.size) continue;
      if (!holds(vertex, term)) continue;
      used.set(vertex, (used.get(vertex) ?? 0) + 1);
      const [next] = rest;
      const isAlike = next?.term === term && next.below === place;
      const others = isAlike ? [{ ...next, from: at }, ...rest.slice(1)] : rest;
      if (serve([...others, ...within(term, vertex, false)])) return true;
      used.set(vertex, used.get(vertex)! - 1);
    }
    return false;
  };
  return serve(copies(term).map((it) => ({ term: it, below: root, self: true, from: 0 })));
}

function copies(term: Resource): Resource[] {
  return Array.from({ length: term.replicas ?? term.count ?? 1 }, () => term);
}

function within(term: Resource, place: BruteVertex, self: boolean): Demand[] {
  return (term.with ?? []).flatMap(copies).map((it) => ({ term: it, below: place, self, from: 0 }));
}

function below(vertex: BruteVertex): BruteVertex[] {
  return [vertex, ...vertex.children.flatMap(below)];
}
