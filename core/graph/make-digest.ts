import type { ClusterTree } from './cluster-tree.ts';
import type { Child, GraphDigest, Kind, Shape } from './digest.ts';
import type { Subsystem } from './subsystem-graph.ts';
import type { Scalar } from './vertex.ts';

/**
 * Makes the digest of a cluster from its graph and its subsystems. From the leaves up, vertices
 * that say the same, have the same attached and contain the same become one shape; each level's
 * shapes are put in the order of what they say, so that the order of a document leaves no trace.
 */
export function makeDigest(tree: ClusterTree, subsystems: readonly Subsystem[]): GraphDigest {
  const { kinds, attachedTo } = kindsOf(subsystems);
  const shapes: Shape[] = [];
  const shapeOf = new Map<string, number>();
  for (const level of byHeight(tree)) {
    const forms = new Map<string, { shape: Shape; ids: string[] }>();
    for (const id of level) {
      const shape = formOf(id, tree, shapeOf, attachedTo);
      const key = JSON.stringify(shape);
      const form = forms.get(key);
      if (form === undefined) forms.set(key, { shape, ids: [id] });
      else form.ids.push(id);
    }
    for (const key of [...forms.keys()].sort()) {
      const { shape, ids } = forms.get(key)!;
      for (const id of ids) shapeOf.set(id, shapes.length);
      shapes.push(shape);
    }
  }
  return {
    vertices: tree.vertices.size,
    counts: countsOf(tree),
    shapes,
    kinds,
    subsystems: subsystems.map(({ name }) => name).sort(),
  };
}

/** Of a cluster without vertices of its own to attach to: all of it is attached to the whole. */
export function attachToRoot(
  digest: GraphDigest,
  root: string,
  subsystems: readonly Subsystem[],
): GraphDigest {
  const { kinds, attachedTo } = kindsOf(subsystems);
  const attached = attachedTo.get(root) ?? [];
  const shapes = digest.shapes.map((shape, number) =>
    number === digest.shapes.length - 1 ? { ...shape, attached } : shape,
  );
  const names = subsystems.map(({ name }) => name).sort();
  return { ...digest, shapes, kinds, subsystems: names };
}

function countsOf({ vertices }: ClusterTree): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { type, size } of vertices.values()) counts.set(type, (counts.get(type) ?? 0) + size);
  return new Map([...counts].sort(([a], [b]) => compare(a, b)));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Leaves first, then what contains only leaves, up to the root. */
function byHeight({ levels, children }: ClusterTree): readonly (readonly string[])[] {
  const heights = new Map<string, number>();
  const out: string[][] = [];
  for (const level of [...levels].reverse()) {
    for (const id of level) {
      let height = 0;
      for (const child of children.get(id) ?? []) {
        height = Math.max(height, heights.get(child)! + 1);
      }
      heights.set(id, height);
      const equals = out[height];
      if (equals === undefined) out[height] = [id];
      else equals.push(id);
    }
  }
  return out;
}

function formOf(
  id: string,
  { vertices, children }: ClusterTree,
  shapeOf: ReadonlyMap<string, number>,
  attachedTo: ReadonlyMap<string, readonly number[]>,
): Shape {
  const { type, size, unit } = vertices.get(id)!;
  const times = new Map<number, number>();
  for (const child of children.get(id) ?? []) {
    const shape = shapeOf.get(child)!;
    times.set(shape, (times.get(shape) ?? 0) + 1);
  }
  const inner: Child[] = [...times]
    .sort(([a], [b]) => a - b)
    .map(([shape, many]) => ({ shape, times: many }));
  return { type, size, unit, attached: attachedTo.get(id) ?? [], children: inner };
}

type Attached = {
  readonly kinds: readonly Kind[];
  readonly attachedTo: ReadonlyMap<string, readonly number[]>;
};

function kindsOf(subsystems: readonly Subsystem[]): Attached {
  const found = new Map<string, { kind: Kind; places: Set<string> }>();
  for (const { name, vertices, attached } of subsystems) {
    for (const [id, { fields, attributes }] of vertices) {
      const kind = { subsystem: name, fields: sorted(fields), attributes: sorted(attributes) };
      const key = JSON.stringify([name, [...kind.fields], [...kind.attributes]]);
      const known = found.get(key) ?? { kind, places: new Set() };
      for (const place of attached.get(id)!) known.places.add(place);
      found.set(key, known);
    }
  }
  const kinds: Kind[] = [];
  const attachedTo = new Map<string, number[]>();
  for (const key of [...found.keys()].sort()) {
    const { kind, places } = found.get(key)!;
    for (const place of places) {
      const numbers = attachedTo.get(place);
      if (numbers === undefined) attachedTo.set(place, [kinds.length]);
      else numbers.push(kinds.length);
    }
    kinds.push(kind);
  }
  return { kinds, attachedTo };
}

function sorted(fields: ReadonlyMap<string, Scalar>): ReadonlyMap<string, Scalar> {
  return new Map([...fields].sort(([a], [b]) => compare(a, b)));
}
