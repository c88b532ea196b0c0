import { treeLevelsMax } from '../limits.ts';

/**
 * The graph of a cluster as people draw it: equal things below each other thing are one line with
 * their number. Pure; whatever the document holds, what is no vertex is left out.
 */
export type TreeLine = {
  readonly type: string;
  readonly count: number;
  readonly children: readonly TreeLine[];
};

type Vertex = { readonly metadata?: { readonly type?: unknown; readonly size?: unknown } };
export type GraphDocument = {
  readonly graph?: {
    readonly nodes?: Readonly<Record<string, Vertex>>;
    readonly edges?: readonly {
      readonly source: string;
      readonly target: string;
      readonly relation?: string;
    }[];
  };
};

export function treeLines({ graph }: GraphDocument): readonly TreeLine[] {
  const vertices = new Map(Object.entries(graph?.nodes ?? {}));
  const below = new Map<string, string[]>();
  const inner = new Set<string>();
  for (const { source, target, relation } of graph?.edges ?? []) {
    if (relation !== undefined && relation !== 'contains') continue;
    // A tree: whoever has a parent gets no second one, so nothing is counted twice.
    if (inner.has(target)) continue;
    inner.add(target);
    const siblings = below.get(source);
    if (siblings === undefined) below.set(source, [target]);
    else siblings.push(target);
  }
  const roots = [...vertices.keys()].filter((id) => !inner.has(id));
  return linesOf(roots, 0);

  /** Of all these together, by type. */
  function linesOf(ids: readonly string[], depth: number): readonly TreeLine[] {
    if (depth >= treeLevelsMax) return [];
    const byType = new Map<string, { count: number; children: string[] }>();
    for (const id of ids) {
      const vertex = vertices.get(id);
      if (vertex === undefined) continue;
      const { type, size } = vertex.metadata ?? {};
      const name = typeof type === 'string' ? type : 'resource';
      const line = byType.get(name) ?? { count: 0, children: [] };
      line.count += typeof size === 'number' ? size : 1;
      for (const child of below.get(id) ?? []) line.children.push(child);
      byType.set(name, line);
    }
    return [...byType].map(([type, { count, children }]) => {
      return { type, count, children: linesOf(children, depth + 1) };
    });
  }
}
