import {
  type Checked,
  type JsonGraph,
  Mistakes,
  type Path,
  readGraph,
  shown,
} from './json-graph.ts';
import { graphDepthMax, graphEdgesMax, graphTypesMax, graphVerticesMax } from './limits.ts';
import type { Vertex } from './vertex.ts';

/**
 * The dominant graph of a cluster: a tree of what contains what, from the cluster down. Only
 * `contains` makes the tree; `in` says the same from below, other relations are nobody's business.
 *
 * Refuses what is no tree: two parents, a cycle, several roots, an edge into nowhere.
 */
export type ClusterTree = {
  readonly root: string;
  readonly vertices: ReadonlyMap<string, Vertex>;
  readonly children: ReadonlyMap<string, readonly string[]>;
  /** By depth: the root alone, then what it contains, and so on. */
  readonly levels: readonly (readonly string[])[];
};

export function readClusterTree(document: unknown, at: Path = []): Checked<ClusterTree> {
  const mistakes = new Mistakes(at);
  const graph = readGraph(document, mistakes, {
    vertices: graphVerticesMax,
    edges: graphEdgesMax,
  });
  if (graph === null || !mistakes.none) return { ok: false, errors: mistakes.errors };
  const { vertices, edges } = graph;
  if (edges.length === 0 && vertices.size > 1) {
    mistakes.add(['graph', 'edges'], 'The graph has several vertices and no edge between them.');
    return { ok: false, errors: mistakes.errors };
  }
  const parents = parentsOf(graph, mistakes);
  countTypes(vertices, mistakes);
  const root = mistakes.none ? rootOf(vertices, parents, mistakes) : null;
  if (root === null) return { ok: false, errors: mistakes.errors };
  const children = childrenOf(vertices, parents);
  const levels = levelsOf(root, children);
  const reached = levels.reduce((sum, level) => sum + level.length, 0);
  if (levels.length > graphDepthMax) {
    mistakes.add(['graph', 'edges'], `The graph is deeper than ${graphDepthMax} levels.`);
  } else if (reached < vertices.size) {
    mistakes.add(...cycleAmong(vertices, parents, new Set(levels.flat())));
  }
  if (!mistakes.none) return { ok: false, errors: mistakes.errors };
  return { ok: true, value: { root, vertices, children, levels } };
}

/** The one parent of each vertex that has any. */
function parentsOf({ vertices, edges }: JsonGraph, mistakes: Mistakes): Map<string, string> {
  const parents = new Map<string, string>();
  for (const { source, target, relation, at } of edges) {
    let missing = false;
    for (const [end, id] of [
      ['source', source],
      ['target', target],
    ] as const) {
      if (vertices.has(id)) continue;
      missing = true;
      mistakes.add(['graph', 'edges', at, end], `There is no vertex ${shown(id)}.`);
    }
    if (missing || relation !== 'contains') continue;
    const parent = parents.get(target);
    if (parent !== undefined && parent !== source) {
      const both = `${shown(parent)} and ${shown(source)}`;
      mistakes.add(
        ['graph', 'edges', at, 'target'],
        `Vertex ${shown(target)} has two parents, ${both}.`,
      );
    }
    if (source === target) {
      mistakes.add(['graph', 'edges', at], `Vertex ${shown(source)} contains itself.`);
    }
    parents.set(target, source);
  }
  return parents;
}

function countTypes(vertices: ReadonlyMap<string, Vertex>, mistakes: Mistakes): void {
  const types = new Set([...vertices.values()].map(({ type }) => type));
  if (types.size <= graphTypesMax) return;
  mistakes.add(['graph', 'nodes'], `A graph has at most ${graphTypesMax} types of vertices.`);
}

function rootOf(
  vertices: ReadonlyMap<string, Vertex>,
  parents: ReadonlyMap<string, string>,
  mistakes: Mistakes,
): string | null {
  const roots = [...vertices.keys()].filter((id) => !parents.has(id)).sort();
  if (roots.length === 1) return roots[0]!;
  if (roots.length === 0) {
    mistakes.add(...cycleAmong(vertices, parents, new Set()));
    return null;
  }
  const some = roots.slice(0, 3).map(shown).join(', ');
  mistakes.add(
    ['graph', 'nodes', roots[1]!],
    `The graph needs one vertex that contains all others; ${roots.length} are in none: ${some}.`,
  );
  return null;
}

/** Every vertex that the root does not reach hangs on a cycle; one of them is named. */
function cycleAmong(
  vertices: ReadonlyMap<string, Vertex>,
  parents: ReadonlyMap<string, string>,
  reached: ReadonlySet<string>,
): [Path, string] {
  const start = [...vertices.keys()].filter((id) => !reached.has(id)).sort()[0]!;
  const seen = new Set<string>();
  let at = start;
  while (!seen.has(at)) {
    seen.add(at);
    at = parents.get(at) ?? at;
  }
  return [['graph', 'nodes', at], `Vertex ${shown(at)} is part of a cycle.`];
}

function childrenOf(
  vertices: ReadonlyMap<string, Vertex>,
  parents: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>();
  for (const id of vertices.keys()) {
    const parent = parents.get(id);
    if (parent === undefined) continue;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [id]);
    else siblings.push(id);
  }
  return children;
}

/** Stops one level below what is allowed, which is enough to know. */
function levelsOf(
  root: string,
  children: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[])[] {
  const levels: string[][] = [];
  let level = [root];
  while (level.length > 0 && levels.length <= graphDepthMax) {
    levels.push(level);
    level = level.flatMap((id) => children.get(id) ?? []);
  }
  return levels;
}
