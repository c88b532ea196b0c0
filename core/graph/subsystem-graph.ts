import type { ClusterTree } from './cluster-tree.ts';
import {
  type Checked,
  type GraphEdge,
  type JsonGraph,
  Mistakes,
  type Path,
  readGraph,
  shown,
} from './json-graph.ts';
import { attachmentsMax, subsystemEdgesMax, subsystemVerticesMax } from './limits.ts';
import type { Vertex } from './vertex.ts';

/**
 * What a cluster has besides its hardware: software, storage, an operating system. A graph of its
 * own ids, whose edges may end at vertices of the dominant graph.
 *
 * Where a vertex is attached: at the dominant vertices that an edge joins it with; one that no edge
 * joins with any, where those are that contain it; what hangs on nothing but the subsystem's root
 * is attached, as the root is, to the whole cluster. A vertex that reaches neither is refused.
 */
export type Subsystem = {
  readonly name: string;
  readonly vertices: ReadonlyMap<string, Vertex>;
  /** Ids of the dominant graph at which each vertex is attached, sorted. */
  readonly attached: ReadonlyMap<string, readonly string[]>;
};

/** Reads a subsystem against the graph it belongs to. */
export function readSubsystem(
  name: string,
  document: unknown,
  tree: Pick<ClusterTree, 'root' | 'vertices'>,
  at: Path = [],
): Checked<Subsystem> {
  const mistakes = new Mistakes(at);
  const graph = readGraph(document, mistakes, {
    vertices: subsystemVerticesMax,
    edges: subsystemEdgesMax,
  });
  if (graph === null || !mistakes.none) return { ok: false, errors: mistakes.errors };
  const joined = joinsOf(graph, tree.vertices, mistakes);
  if (!mistakes.none) return { ok: false, errors: mistakes.errors };
  const root = rootOf(name, graph, joined);
  const attached = attachmentsOf(joined, root, tree.root);
  if (attached === null) {
    const sentence = `The edges attach vertices in more than ${attachmentsMax} ways.`;
    mistakes.add(['graph', 'edges'], sentence);
    return { ok: false, errors: mistakes.errors };
  }
  for (const id of graph.vertices.keys()) {
    if (!attached.has(id)) {
      mistakes.add(['graph', 'nodes', id], `vertex ${shown(id)} is not attached`);
    }
  }
  if (!mistakes.none) return { ok: false, errors: mistakes.errors };
  const sorted = [...attached].map(([id, places]) => [id, [...places].sort()] as const);
  return { ok: true, value: { name, vertices: graph.vertices, attached: new Map(sorted) } };
}

type Joins = {
  /** Of a vertex of the subsystem: those of the dominant graph that it is joined with. */
  readonly outer: ReadonlyMap<string, ReadonlySet<string>>;
  readonly children: ReadonlyMap<string, ReadonlySet<string>>;
  readonly below: ReadonlySet<string>;
};

/** An id is the subsystem's own when it has such a vertex, otherwise the dominant graph's. */
function joinsOf(
  { vertices, edges }: JsonGraph,
  dominant: ReadonlyMap<string, Vertex>,
  mistakes: Mistakes,
): Joins {
  const outer = new Map<string, Set<string>>();
  const children = new Map<string, Set<string>>();
  const below = new Set<string>();
  for (const edge of edges) {
    const known = endsAreKnown(edge, vertices, dominant, mistakes);
    if (!known) continue;
    const { source, target, relation } = edge;
    if (vertices.has(source) && vertices.has(target)) {
      if (relation !== 'contains' || source === target) continue;
      addTo(children, source, target);
      below.add(target);
    } else if (vertices.has(source)) addTo(outer, source, target);
    else addTo(outer, target, source);
  }
  return { outer, children, below };
}

function endsAreKnown(
  { source, target, at }: GraphEdge,
  vertices: ReadonlyMap<string, Vertex>,
  dominant: ReadonlyMap<string, Vertex>,
  mistakes: Mistakes,
): boolean {
  let known = true;
  for (const [end, id] of [
    ['source', source],
    ['target', target],
  ] as const) {
    if (vertices.has(id) || dominant.has(id)) continue;
    known = false;
    mistakes.add(
      ['graph', 'edges', at, end],
      `There is no vertex ${shown(id)}, neither here nor in the cluster's graph.`,
    );
  }
  if (known && !vertices.has(source) && !vertices.has(target)) {
    known = false;
    mistakes.add(
      ['graph', 'edges', at],
      'One end of an edge is a vertex of the subsystem; both of these are the cluster’s.',
    );
  }
  return known;
}

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  const set = map.get(key);
  if (set === undefined) map.set(key, new Set([value]));
  else set.add(value);
}

/**
 * The one vertex that may hang on nothing: the one whose type is the subsystem's name, otherwise
 * one that contains others, otherwise the first by id.
 */
function rootOf(name: string, { vertices }: JsonGraph, { outer, children, below }: Joins) {
  const free = [...vertices.keys()].filter((id) => !outer.has(id) && !below.has(id)).sort();
  const named = free.find((id) => vertices.get(id)!.type === name);
  return named ?? free.find((id) => children.has(id)) ?? free[0] ?? null;
}

/** Null when there are too many. */
function attachmentsOf(
  { outer, children }: Joins,
  root: string | null,
  clusterRoot: string,
): ReadonlyMap<string, ReadonlySet<string>> | null {
  const attached = new Map<string, Set<string>>();
  for (const [id, places] of outer) attached.set(id, new Set(places));
  if (!spread(attached, [...outer.keys()], children, outer)) return null;
  if (root === null || attached.has(root)) return attached;
  const whole = new Map([[root, new Set([clusterRoot])]]);
  if (!spread(whole, [root], children, attached)) return null;
  return new Map([...whole, ...attached]);
}

/** Hands places on to what is contained and has none of its own; false when it takes too long. */
function spread(
  attached: Map<string, Set<string>>,
  queue: string[],
  children: ReadonlyMap<string, ReadonlySet<string>>,
  fixed: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  let steps = 0;
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const child of children.get(id) ?? []) {
      if (fixed.has(child)) continue;
      const before = attached.get(child)?.size ?? 0;
      const places = attached.get(id)!;
      steps += places.size;
      if (steps > attachmentsMax) return false;
      for (const place of places) addTo(attached, child, place);
      if (attached.get(child)!.size > before) queue.push(child);
    }
  }
  return true;
}
