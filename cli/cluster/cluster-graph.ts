import { isRecord } from '../../core/protocol/json.ts';

/** The nodes that Slurm, Flux or a host speak of, and the graph that a cluster registers. */
export type ClusterNode = { readonly name: string; readonly cores: number; readonly gpus: number };

/** Equal cores are one vertex with a size: nobody asks for core seven. */
export function graphOf(cluster: string, nodes: readonly ClusterNode[]) {
  const vertices = new Map<string, { metadata: Record<string, string | number> }>();
  const edges: { source: string; target: string; relation: 'contains' }[] = [];
  const add = (parent: string | null, metadata: Record<string, string | number>): string => {
    const id = String(vertices.size);
    vertices.set(id, { metadata });
    if (parent !== null) edges.push({ source: parent, target: id, relation: 'contains' });
    return id;
  };
  const root = add(null, { type: 'cluster', name: cluster });
  for (const { name, cores, gpus } of nodes) {
    const node = add(root, { type: 'node', name });
    if (cores > 0) add(node, { type: 'core', size: cores });
    if (gpus > 0) add(node, { type: 'gpu', size: gpus });
  }
  return { graph: { directed: true, nodes: Object.fromEntries(vertices), edges } };
}

/** Lines of `%N %c %G`: name, processors, generic resources; a node of two partitions is one. */
export function nodesOfSinfo(text: string): readonly ClusterNode[] {
  const nodes = new Map<string, ClusterNode>();
  for (const line of text.split('\n')) {
    const [name = '', cores = '', resources = ''] = line.trim().split(/\s+/);
    if (name === '' || !/^\d+\+?$/.test(cores)) continue;
    const gpus = [...resources.matchAll(/(?:^|,)gpu(?::[^:,(]+)?:(\d+)/g)];
    const count = gpus.reduce((sum, match) => sum + Number(match[1]), 0);
    nodes.set(name, { name, cores: Number.parseInt(cores, 10), gpus: count });
  }
  return [...nodes.values()];
}

/** R version 1: ranks with what each has, and the names of the hosts in their order. */
export function nodesOfFlux(document: unknown): readonly ClusterNode[] {
  const execution = isRecord(document) ? document.execution : null;
  if (!isRecord(execution) || !Array.isArray(execution.R_lite)) return [];
  const names = Array.isArray(execution.nodelist)
    ? execution.nodelist.flatMap((it) => (typeof it === 'string' ? unfolded(it) : []))
    : [];
  const nodes: ClusterNode[] = [];
  for (const part of execution.R_lite) {
    if (!isRecord(part) || typeof part.rank !== 'string' || !isRecord(part.children)) continue;
    const { core, gpu } = part.children;
    const cores = numbersOf(core).length;
    const gpus = numbersOf(gpu).length;
    for (const rank of numbersOf(part.rank)) {
      nodes.push({ name: names[rank] ?? `rank${rank}`, cores, gpus });
    }
  }
  return nodes;
}

/** `0-3,7`, within what a graph can hold. */
function numbersOf(text: unknown): readonly number[] {
  const numbers: number[] = [];
  if (typeof text !== 'string') return numbers;
  for (const part of text.split(',')) {
    const [, first, last = first] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part.trim()) ?? [];
    if (first === undefined) continue;
    for (let n = Number(first); n <= Number(last); n++) numbers.push(n);
  }
  return numbers;
}

/** `node[0-2,5]` is node0, node1, node2, node5; zeros in front stay. */
function unfolded(hosts: string): readonly string[] {
  return (hosts.match(/[^,[]+(?:\[[^\]]*\])?/g) ?? []).flatMap((part) => {
    const [, prefix = '', inner] = /^([^[]*)\[([^\]]*)\]$/.exec(part) ?? [];
    if (inner === undefined) return [part];
    const digits = /^(0\d+)/.exec(inner)?.[1]?.length ?? 0;
    return numbersOf(inner).map((n) => `${prefix}${String(n).padStart(digits, '0')}`);
  });
}
