/**
 * Where tasks and groups of a jobspec are drawn: each to the right of all that it waits for. Pure.
 */
export type TaskNode = {
  readonly name: string;
  readonly group: string | null;
  readonly kind: 'task' | 'group';
  readonly state: string;
};
export type TaskEdge = { readonly from: string; readonly to: string };
export type TaskGraph = {
  readonly nodes: readonly TaskNode[];
  readonly edges: readonly TaskEdge[];
};

export type PlacedTask = TaskNode & { readonly column: number; readonly row: number };
/** `inside`: from a group to what it holds and begins with. */
export type PlacedEdge = {
  readonly from: PlacedTask;
  readonly to: PlacedTask;
  readonly inside: boolean;
};
export type TaskLayout = {
  readonly nodes: readonly PlacedTask[];
  readonly edges: readonly PlacedEdge[];
  readonly columns: number;
  readonly rows: number;
};

/** What is in a group begins when the group does, so it stands to the right of it. */
export function layOut({ nodes, edges }: TaskGraph): TaskLayout {
  const before = new Map<string, string[]>();
  const wait = (from: string, to: string) => before.set(to, [...(before.get(to) ?? []), from]);
  const known = new Set(nodes.map(({ name }) => name));
  for (const { from, to } of edges) if (known.has(from)) wait(from, to);
  for (const { name, group } of nodes) if (group !== null && known.has(group)) wait(group, name);
  const columns = new Map<string, number>();
  const columnOf = (name: string): number => {
    const found = columns.get(name);
    if (found !== undefined) return found;
    // Whoever comes back here has gone in a circle: each is looked at once.
    columns.set(name, 0);
    const all = (before.get(name) ?? []).map((it) => columnOf(it) + 1);
    const column = Math.max(0, ...all);
    columns.set(name, column);
    return column;
  };
  const used = new Map<number, number>();
  const placed = nodes.map((node): PlacedTask => {
    const column = columnOf(node.name);
    const row = used.get(column) ?? 0;
    used.set(column, row + 1);
    return { ...node, column, row };
  });
  const byName = new Map(placed.map((node) => [node.name, node]));
  const line = (from: string, to: string, inside: boolean): PlacedEdge[] => {
    const [a, b] = [byName.get(from), byName.get(to)];
    return a === undefined || b === undefined ? [] : [{ from: a, to: b, inside }];
  };
  const follows = new Set(edges.map(({ to }) => to));
  const first = nodes.filter(({ name }) => !follows.has(name));
  const lines = [
    ...edges.flatMap(({ from, to }) => line(from, to, false)),
    ...first.flatMap(({ name, group }) => (group === null ? [] : line(group, name, true))),
  ];
  const rows = Math.max(0, ...used.values());
  const last = Math.max(-1, ...used.keys());
  return { nodes: placed, edges: lines, columns: last + 1, rows };
}
